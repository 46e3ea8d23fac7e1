import { type Command, Option } from "commander";
import {
  type Context,
  given,
  organizationPath,
  organizationVerb,
  paged,
  pageQuery,
  show,
  showPage,
} from "../verb.ts";

const COLUMNS = ["id", "email_address", "name", "role", "created_at"];
const ROLES = ["owner", "admin", "member"];

/** `outreach member …` */
export function addMember(program: Command, context: Context): void {
  const member = program.command("member").description("the people of an organization");

  organizationVerb(member, "add", "add a person")
    .requiredOption("--email <address>", "identifies the person in the organization")
    .addOption(
      new Option("--role <role>", "owners and admins manage keys").choices(ROLES).makeOptionMandatory(),
    )
    .option("--name <name>", "the person's name")
    .action(async (options) => {
      const body = given({ email_address: options.email, name: options.name, role: options.role });
      show(context, options, await context.api.post(organizationPath(options.org, "members"), body));
    });

  organizationVerb(member, "update", "change what is given")
    .requiredOption("--member <id>", "the member")
    .addOption(new Option("--role <role>", "owners and admins manage keys").choices(ROLES))
    .option("--name <name>", "the person's name")
    .action(async (options) => {
      const path = organizationPath(options.org, "members", options.member);
      const body = given({ name: options.name, role: options.role });
      show(context, options, await context.api.patch(path, body));
    });

  organizationVerb(member, "remove", "remove a person")
    .requiredOption("--member <id>", "the member")
    .action(async (options) => {
      const path = organizationPath(options.org, "members", options.member);
      show(context, options, await context.api.delete(path));
    });

  paged(organizationVerb(member, "list", "an organization's members")).action(async (options) => {
    const page = await context.api.get(organizationPath(options.org, "members"), pageQuery(options));
    showPage(context, options, page, COLUMNS);
  });
}
