import { Command } from "commander";
import { addListen } from "./listen/listen.ts";
import { addAgent } from "./nouns/agent.ts";
import { addAppointment } from "./nouns/appointment.ts";
import { addAudit } from "./nouns/audit.ts";
import { addCall } from "./nouns/call.ts";
import { addCampaign } from "./nouns/campaign.ts";
import { addCompliance } from "./nouns/compliance.ts";
import { addDeliveries } from "./nouns/deliveries.ts";
import { addDnc } from "./nouns/dnc.ts";
import { addImports } from "./nouns/imports.ts";
import { addKey } from "./nouns/key.ts";
import { addMember } from "./nouns/member.ts";
import { addNumber } from "./nouns/number.ts";
import { addOptOut, addText } from "./nouns/opt-out.ts";
import { addOrg } from "./nouns/org.ts";
import { addService } from "./nouns/service.ts";
import { addSimulate } from "./nouns/simulate.ts";
import { addTrunk } from "./nouns/trunk.ts";
import { addWallet } from "./nouns/wallet.ts";
import { addWebhook } from "./nouns/webhook.ts";
import type { Context } from "./verb.ts";

/** Every noun with its verbs. Usage errors are thrown, as commander's own error. */
export function buildProgram(context: Context): Command {
  const program = new Command("outreach")
    .description("Runs Outreach, and operates a running one through its private API.")
    .exitOverride()
    .configureOutput({ writeOut: context.out, writeErr: context.err })
    .showSuggestionAfterError();
  const nouns = [
    addService,
    addSimulate,
    addListen,
    addOrg,
    addKey,
    addMember,
    addWallet,
    addAgent,
    addAppointment,
    addCampaign,
    addCall,
    addDnc,
    addOptOut,
    addText,
    addCompliance,
    addNumber,
    addTrunk,
    addImports,
    addWebhook,
    addDeliveries,
    addAudit,
  ];
  for (const add of nouns) add(program, context);
  program.addHelpText(
    "after",
    "\nADMIN_URL (http://127.0.0.1:$ADMIN_PORT) and ADMIN_TOKEN (admin.token in DATA_DIR) name the service to operate.",
  );
  return program;
}
