import type { Command } from "commander";
import { type Context, given, organizationPath, organizationVerb, show, whole } from "../verb.ts";

/** `outreach wallet …` */
export function addWallet(program: Command, context: Context): void {
  const wallet = program.command("wallet").description("token balances");

  organizationVerb(wallet, "credit", "add tokens; a negative number takes them")
    .requiredOption("--tokens <n>", "how many (1 token = 0.001 USD)", whole)
    .option("--note <text>", "what for")
    .option("--idempotency-key <key>", "the same key again changes nothing")
    .action(async (options) => {
      const body = given({
        tokens: options.tokens,
        note: options.note,
        idempotency_key: options.idempotencyKey,
      });
      show(
        context,
        options,
        await context.api.post(organizationPath(options.org, "wallet", "credits"), body),
      );
    });

  organizationVerb(wallet, "show", "the balance, what live calls hold of it, and the latest entries").action(
    async (options) => {
      show(context, options, await context.api.get(organizationPath(options.org, "wallet")));
    },
  );
}
