import { type Command, Option } from "commander";
import { type Context, given, paged, pageQuery, show, showPage, verb, whole } from "../verb.ts";

const COLUMNS = ["id", "organization_id", "name", "uri", "transport", "channels", "cps", "priority"];
const TEST_COLUMNS = ["id", "name", "reachable", "status", "round_trip_ms", "message"];

/** `outreach trunk …` */
export function addTrunk(program: Command, context: Context): void {
  const trunk = program.command("trunk").description("SIP trunks, which carry calls");
  // The grammar of `trunk` has both flags on every verb: where one means nothing it is taken and left.
  const unused = (flags: string) => new Option(flags).hideHelp();

  verb(trunk, "add", "add a trunk")
    .requiredOption("--name <name>", "what to call it")
    .requiredOption("--uri <uri>", "sip:HOST[:PORT]")
    .option("--transport <transport>", "udp, tcp or tls (udp)")
    .option("--username <user>", "for a trunk that asks for a password")
    .option("--password <password>", "never shown again")
    .option("--org <id>", "only this organization's calls (those of all organizations)")
    .option("--channels <n>", "how many calls at once (as many as come)", whole)
    .option("--cps <n>", "how many calls may begin in a second (as many as come)", whole)
    .option("--priority <n>", "the lowest is tried first (10)", whole)
    .option("--register", "tell the trunk where this service is, so that it sends calls")
    .action(async (options) => {
      const body = given({
        name: options.name,
        uri: options.uri,
        transport: options.transport,
        username: options.username,
        password: options.password,
        organization_id: options.org,
        channels: options.channels,
        cps: options.cps,
        priority: options.priority,
        register: options.register,
      });
      show(context, options, await context.api.post("/trunks", body));
    });

  paged(verb(trunk, "list", "the trunks, in the order in which they are tried"))
    .option("--org <id>", "those that this organization's calls go through")
    .addOption(unused("--trunk <id>"))
    .action(async (options) => {
      const query = { ...pageQuery(options), organization_id: options.org };
      showPage(context, options, await context.api.get("/trunks", query), COLUMNS);
    });

  verb(trunk, "remove", "remove a trunk")
    .requiredOption("--trunk <id>", "the trunk")
    .addOption(unused("--org <id>"))
    .action(async (options) => {
      const path = `/trunks/${encodeURIComponent(options.trunk)}`;
      show(context, options, await context.api.delete(path));
    });

  verb(trunk, "test", "ask a trunk whether it is there; every trunk without --trunk")
    .option("--trunk <id>", "the trunk")
    .option("--org <id>", "those that this organization's calls go through")
    .action(async (options) => {
      const test = (id: string) => context.api.post(`/trunks/${encodeURIComponent(id)}/test`, {});
      if (options.trunk !== undefined) return show(context, options, await test(options.trunk));
      const query = { organization_id: options.org, limit: 100 };
      const { data } = (await context.api.get("/trunks", query)) as unknown as { data: { id: string }[] };
      const found = await Promise.all(data.map(({ id }) => test(id)));
      showPage(context, options, { data: found, limit: 100, offset: 0 } as never, TEST_COLUMNS);
    });
}
