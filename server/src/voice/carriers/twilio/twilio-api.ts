import { createVendorRequests, member, type VendorRequestOptions, VendorTrouble } from "../vendor-request.ts";

/** What we ask Twilio's REST API for. */
export interface TwilioApi {
  /** @returns the call's SID. @throws VendorTrouble */
  dial(call: OutgoingCall): Promise<string>;
  /** Ends it, whatever it is doing. Resolves too when it is over already. @throws VendorTrouble */
  hangup(callSid: string, isAnswered: boolean): Promise<void>;
  /** As `CallStatus`; null: there is no such call. @throws VendorTrouble */
  statusOf(callSid: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface OutgoingCall {
  /** E.164 */
  from: string;
  /** E.164 */
  to: string;
  /** Whole. */
  timeoutSeconds: number;
  /** What is done with the call once it is answered. */
  twiml: string;
  statusUrl: string;
}

export interface TwilioApiOptions extends Pick<VendorRequestOptions, "clock" | "withinMs"> {
  accountSid: string;
  authToken: string;
  /** Without the version. */
  apiUrl: string;
}

const CALL_SID = /^CA[0-9a-fA-F]{32}$/;
const FORM = "application/x-www-form-urlencoded";
/** "Call is not in-progress": it can't be changed any more. */
const NOT_IN_PROGRESS = "21220";
const EVENTS = ["initiated", "ringing", "answered", "completed"];
const OVER = new Set(["completed", "busy", "no-answer", "canceled", "failed"]);

export function isOver(callStatus: string): boolean {
  return OVER.has(callStatus);
}

export function createTwilioApi(options: TwilioApiOptions): TwilioApi {
  const { accountSid, authToken } = options;
  const base = `${options.apiUrl}/2010-04-01/Accounts/${accountSid}/Calls`;
  const requests = createVendorRequests({
    ...options,
    vendor: "Twilio",
    headers: { authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}` },
    readError: (body) => ({
      code: member(body, "code") === undefined ? null : String(member(body, "code")),
      words: member(body, "message"),
    }),
  });
  const post = (path: string, fields: [string, string][]) =>
    requests.ask("POST", `${base}${path}.json`, { type: FORM, text: new URLSearchParams(fields).toString() });

  /** @returns its status afterwards */
  async function change(callSid: string, status: "canceled" | "completed"): Promise<unknown> {
    try {
      return member(await post(`/${callSid}`, [["Status", status]]), "status");
    } catch (error) {
      if (isGone(error)) return "completed";
      throw error;
    }
  }

  return {
    async dial({ from, to, timeoutSeconds, twiml, statusUrl }) {
      const answer = await post("", [
        ["From", from],
        ["To", to],
        ["Twiml", twiml],
        ["Timeout", String(timeoutSeconds)],
        ["StatusCallback", statusUrl],
        ["StatusCallbackMethod", "POST"],
        ...EVENTS.map((event): [string, string] => ["StatusCallbackEvent", event]),
      ]);
      const sid = member(answer, "sid");
      if (typeof sid === "string" && CALL_SID.test(sid)) return sid;
      throw new VendorTrouble("Twilio's answer can't be understood", { status: 200 });
    },
    async hangup(callSid, isAnswered) {
      if (!isAnswered) {
        // It does nothing to a call that has been answered at this very moment.
        const status = await change(callSid, "canceled");
        if (typeof status === "string" && isOver(status)) return;
      }
      await change(callSid, "completed");
    },
    async statusOf(callSid) {
      try {
        const status = member(await requests.ask("GET", `${base}/${callSid}.json`), "status");
        if (typeof status === "string") return status;
        throw new VendorTrouble("Twilio's answer can't be understood", { status: 200 });
      } catch (error) {
        if (error instanceof VendorTrouble && error.status === 404) return null;
        throw error;
      }
    },
    close: requests.close,
  };
}

function isGone(error: unknown): boolean {
  return error instanceof VendorTrouble && (error.status === 404 || error.code === NOT_IN_PROGRESS);
}
