import { type Command, Option } from "commander";
import {
  type Context,
  given,
  instant,
  organizationPath,
  organizationVerb,
  paged,
  pageQuery,
  show,
  showPage,
  whole,
} from "../verb.ts";

const COLUMNS = ["id", "status", "lead_id", "appointment_datetime", "duration_minutes", "timezone", "source"];
const STATUSES = ["scheduled", "cancelled", "completed", "no_show"];

/** `outreach appointment …` */
export function addAppointment(program: Command, context: Context): void {
  const appointment = program.command("appointment").description("appointments with leads");
  const at = () =>
    new Option("--at <iso>", "when it begins; UTC unless it says otherwise").argParser(instant);
  const timing = (command: Command) =>
    command
      .addOption(at().makeOptionMandatory())
      .option("--duration <minutes>", "how long, 5 to 480 (30)", whole)
      .option("--timezone <tz>", "the person's, an IANA name");
  const timeFields = (options: { at: string; duration?: number; timezone?: string }) => ({
    appointment_datetime: options.at,
    duration_minutes: options.duration,
    timezone: options.timezone,
  });

  timing(organizationVerb(appointment, "book", "book one"))
    .requiredOption("--lead <id>", "with whom")
    .option("--campaign <id>", "the campaign it came from")
    .action(async (options) => {
      const body = given({ lead_id: options.lead, campaign_id: options.campaign, ...timeFields(options) });
      show(context, options, await context.api.post(organizationPath(options.org, "appointments"), body));
    });

  timing(organizationVerb(appointment, "reschedule", "move one"))
    .requiredOption("--appointment <id>", "the appointment")
    .action(async (options) => {
      const path = organizationPath(options.org, "appointments", options.appointment, "reschedule");
      show(context, options, await context.api.post(path, given(timeFields(options))));
    });

  organizationVerb(appointment, "cancel", "cancel one")
    .requiredOption("--appointment <id>", "the appointment")
    .option("--reason <text>", "why")
    .action(async (options) => {
      const path = organizationPath(options.org, "appointments", options.appointment, "cancel");
      show(context, options, await context.api.post(path, given({ reason: options.reason })));
    });

  for (const [name, description] of [
    ["complete", "note that one was kept"],
    ["no-show", "note that the person missed one"],
  ] as const) {
    organizationVerb(appointment, name, description)
      .requiredOption("--appointment <id>", "the appointment")
      .action(async (options) => {
        const path = organizationPath(options.org, "appointments", options.appointment, name);
        show(context, options, await context.api.post(path));
      });
  }

  organizationVerb(appointment, "ics", "one as a calendar file")
    .requiredOption("--appointment <id>", "the appointment")
    .action(async (options) => {
      const file = await context.api.text(
        organizationPath(options.org, "appointments", `${options.appointment}.ics`),
      );
      if (options.json) show(context, options, { ics: file });
      else context.out(file);
    });

  paged(organizationVerb(appointment, "list", "the appointments, newest first"))
    .addOption(new Option("--status <status>", "only these").choices(STATUSES))
    .option("--lead <id>", "only those of this lead")
    .action(async (options) => {
      const query = { ...pageQuery(options), status: options.status, lead_id: options.lead };
      const path = organizationPath(options.org, "appointments");
      showPage(context, options, await context.api.get(path, query), COLUMNS);
    });
}
