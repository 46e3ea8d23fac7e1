import { createVendorRequests, member, type VendorRequestOptions, VendorTrouble } from "../vendor-request.ts";

/** Telnyx's call control, as much of it as calls need. */
export interface TelnyxApi {
  /** @returns the `call_control_id`. @throws VendorTrouble */
  dial(call: { to: string; from: string; timeoutSeconds: number } & CallCommand): Promise<string>;
  /** Of a call that comes in. @throws VendorTrouble */
  answer(callControlId: string, command: CallCommand): Promise<void>;
  /** Of a call that comes in and isn't answered. Resolves too when it is over already. @throws VendorTrouble */
  reject(callControlId: string, cause: "USER_BUSY" | "CALL_REJECTED"): Promise<void>;
  /** Resolves too when it is over already. @throws VendorTrouble */
  hangup(callControlId: string): Promise<void>;
  /** Whether a call that has been answered is over. @throws VendorTrouble */
  isOver(callControlId: string): Promise<boolean>;
  close(): Promise<void>;
}

/** What a command that begins a call says of it. */
export interface CallCommand {
  /** Comes back with each event. */
  state: string;
  /** For the call's audio. */
  streamUrl: string;
  /** For its events. */
  webhookUrl: string;
}

export interface TelnyxApiOptions extends Pick<VendorRequestOptions, "clock" | "withinMs"> {
  /** Without `/v2`. */
  apiUrl: string;
  apiKey: string;
  connectionId: string;
  /** Letters and digits that nobody else has. */
  newToken(): string;
}

/** "Call has already ended" */
const ENDED = "90018";
/** µ-law at 8 kHz both ways; what the person says, not what we say. */
const STREAM = {
  stream_track: "inbound_track",
  stream_codec: "PCMU",
  stream_bidirectional_mode: "rtp",
  stream_bidirectional_codec: "PCMU",
};

export function createTelnyxApi(options: TelnyxApiOptions): TelnyxApi {
  const base = `${options.apiUrl}/v2/calls`;
  const requests = createVendorRequests({
    ...options,
    vendor: "Telnyx",
    headers: { authorization: `Bearer ${options.apiKey}` },
    readError(body) {
      const errors = member(body, "errors");
      const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
      const code = member(first, "code");
      return {
        code: code === undefined ? null : String(code),
        words: member(first, "title") ?? member(first, "detail"),
      };
    },
  });

  /** A command that comes twice, because it was sent again, is done once. */
  async function command(path: string, fields: Record<string, unknown>): Promise<unknown> {
    const text = JSON.stringify({ ...fields, command_id: options.newToken() });
    return member(await requests.ask("POST", base + path, { type: "application/json", text }), "data");
  }

  /** Does nothing about a call that is over. @throws VendorTrouble */
  async function act(callControlId: string, action: string, fields: Record<string, unknown>): Promise<void> {
    try {
      await command(`/${pathOf(callControlId)}/actions/${action}`, fields);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  return {
    async dial({ to, from, timeoutSeconds, ...given }) {
      const call = await command("", {
        connection_id: options.connectionId,
        to,
        from,
        timeout_secs: timeoutSeconds,
        ...fieldsOf(given),
      });
      const id = member(call, "call_control_id");
      if (typeof id === "string" && id !== "") return id;
      throw new VendorTrouble("Telnyx's answer can't be understood", { status: 200 });
    },
    async answer(callControlId, given) {
      await command(`/${pathOf(callControlId)}/actions/answer`, fieldsOf(given));
    },
    reject: (callControlId, cause) => act(callControlId, "reject", { cause }),
    hangup: (callControlId) => act(callControlId, "hangup", {}),
    async isOver(callControlId) {
      try {
        const call = member(await requests.ask("GET", `${base}/${pathOf(callControlId)}`), "data");
        // A call that is being dialed isn't alive either; what has ended says when.
        return member(call, "is_alive") === false && typeof member(call, "end_time") === "string";
      } catch (error) {
        if (isGone(error)) return true;
        throw error;
      }
    },
    close: requests.close,
  };
}

function fieldsOf({ state, streamUrl, webhookUrl }: CallCommand): Record<string, unknown> {
  return {
    client_state: Buffer.from(state).toString("base64"),
    webhook_url: webhookUrl,
    webhook_url_method: "POST",
    stream_url: streamUrl,
    ...STREAM,
  };
}

/** The call it was about is over, or was never there. */
export function isGone(error: unknown): boolean {
  return error instanceof VendorTrouble && (error.status === 404 || error.code === ENDED);
}

/** As Telnyx's own library writes it: `v3:…` keeps its colon. */
function pathOf(callControlId: string): string {
  return encodeURIComponent(callControlId).replaceAll("%3A", ":");
}
