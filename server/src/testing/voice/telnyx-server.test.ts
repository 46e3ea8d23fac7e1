import Telnyx from "telnyx";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TELNYX_API_KEY, TELNYX_CONNECTION_ID, type TelnyxServer, telnyxServer } from "./telnyx-server.ts";

let server: TelnyxServer;
let client: Telnyx;
beforeAll(async () => {
  server = await telnyxServer({ onDial: async () => undefined, now: Date.now });
  client = new Telnyx({
    apiKey: TELNYX_API_KEY,
    publicKey: server.publicKey,
    baseURL: `${server.url}/v2`,
    maxRetries: 0,
  });
});
afterAll(() => server.close());

const call = {
  connection_id: TELNYX_CONNECTION_ID,
  from: "+12125550199",
  to: "+12125550100",
  webhook_url: "http://127.0.0.1:9/events",
};

/** The stand-in is as good as what it is held against: Telnyx's own library takes it for Telnyx. */
describe("the stand-in for Telnyx, to Telnyx's own library", () => {
  it("takes a call, tells of it, and ends it once", async () => {
    const { data } = await client.calls.dial({ ...call, timeout_secs: 30, client_state: "c3RhdGU=" });
    expect(data).toMatchObject({ record_type: "call", is_alive: false, client_state: "c3RhdGU=" });
    const id = data!.call_control_id;
    expect((await client.calls.retrieveStatus(id)).data).toMatchObject({
      call_control_id: id,
      is_alive: true,
    });
    expect((await client.calls.actions.hangup(id, {})).data).toEqual({ result: "ok" });
    expect((await client.calls.retrieveStatus(id)).data).toMatchObject({
      is_alive: false,
      end_time: expect.any(String),
    });
    await expect(client.calls.actions.hangup(id, {})).rejects.toMatchObject({
      status: 422,
      error: { errors: [{ code: "90018" }] },
    });
    expect(server.received.map(({ command }) => command)).toEqual([
      "dial",
      "status",
      "hangup",
      "status",
      "hangup",
    ]);
  });

  it("refuses as Telnyx does", async () => {
    const refusal = (status: number, code: string) => ({ status, error: { errors: [{ code }] } });
    await expect(client.calls.dial({ ...call, to: "2125550100" })).rejects.toMatchObject(
      refusal(422, "10015"),
    );
    await expect(client.calls.dial({ ...call, timeout_secs: 4 })).rejects.toMatchObject(
      refusal(422, "10015"),
    );
    await expect(client.calls.dial({ ...call, client_state: "no base64!" })).rejects.toMatchObject(
      refusal(422, "10015"),
    );
    await expect(client.calls.dial({ ...call, nonsense: 1 } as never)).rejects.toMatchObject(
      refusal(422, "10015"),
    );
    await expect(client.calls.dial({ ...call, connection_id: "1" })).rejects.toBeInstanceOf(
      Telnyx.NotFoundError,
    );
    await expect(client.withOptions({ apiKey: "KEYwrong" }).calls.dial(call)).rejects.toBeInstanceOf(
      Telnyx.AuthenticationError,
    );
    await expect(client.calls.retrieveStatus("v3:nobody")).rejects.toBeInstanceOf(Telnyx.NotFoundError);
  });

  it("does a command that comes twice once", async () => {
    const command = { ...call, command_id: "891510ac-f3e4-11e8-af5b-de00688a4901" };
    const [first, second] = [await client.calls.dial(command), await client.calls.dial(command)];
    expect(second.data!.call_control_id).toBe(first.data!.call_control_id);
  });

  it("signs its events so that they are believed, and no others", async () => {
    const body = JSON.stringify({ data: { event_type: "call.hangup", payload: {} } });
    const headers = server.headersFor(body);
    expect(await client.webhooks.unwrap(body, { headers })).toMatchObject({
      data: { event_type: "call.hangup" },
    });
    await expect(client.webhooks.unwrap(`${body} `, { headers })).rejects.toThrow(/match/);
    const old = server.headersFor(body, Math.floor(Date.now() / 1000) - 400);
    await expect(client.webhooks.unwrap(body, { headers: old })).rejects.toThrow(/old/);
  });
});
