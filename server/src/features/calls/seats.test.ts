import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DialingHarness,
  startDialingHarness,
  type TestCampaign,
} from "../../testing/dialing-harness.ts";
import type { FakeCall } from "../../testing/fake-voice-plane.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/test-database.ts";

/** Two processes on one database, both of which run calls of the same campaigns. */
let testDatabase: TestDatabase;
let one: DialingHarness;
let two: DialingHarness;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  one = await startDialingHarness({ testDatabase });
  two = await startDialingHarness({ testDatabase, clock: one.clock });
});
afterAll(async () => {
  await two.close();
  await one.close();
  await testDatabase.drop();
});

async function until<T>(look: () => Promise<T> | T, isSo: (found: T) => boolean): Promise<T> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const found = await look();
    if (isSo(found)) return found;
    if (performance.now() > deadline) throw new Error(`It isn't so: ${JSON.stringify(found)}`);
    one.clock.advance(100);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const callsOf = (numbers: readonly string[]) =>
  [...one.plane.calls, ...two.plane.calls].filter(({ dial }) => dial !== null && numbers.includes(dial.to));

/** Adds leads, and waits until all of them are dialed and somebody has answered. */
async function answeredCalls(campaign: TestCampaign, numbers: readonly string[]): Promise<FakeCall[]> {
  for (const number of numbers) await campaign.addLead(number);
  const calls = await until(
    () => callsOf(numbers),
    (found) => found.length === numbers.length,
  );
  for (const call of calls) {
    await call.answer();
    await call.ports.classified("human");
  }
  return calls;
}

const withSeats = (seats: number, lines: number) =>
  one.newCampaign({
    fields: { dialer_mode: "power", concurrency: seats, lines_per_seat: lines },
  });

describe("the people who answer a campaign with seats", () => {
  it("take as many seats as there are, whichever process runs their calls, and the others are abandoned", async () => {
    const campaign = await withSeats(2, 3);
    const numbers = Array.from({ length: 6 }, (_, index) => `+1212555010${index}`);
    const calls = await answeredCalls(campaign, numbers);
    const taken = await Promise.all(calls.map((call) => call.ports.takeSeat()));
    expect(taken.filter(Boolean)).toHaveLength(2);

    const lost = calls.filter((_, index) => !taken[index]);
    one.clock.advance(5_000);
    for (const call of lost) await call.end({ status: "completed", outcome: "abandoned" });
    const attempts = await campaign.attempts();
    for (const call of calls) {
      const abandoned = lost.includes(call);
      expect(attempts.find(({ id }) => id === call.callId)).toMatchObject({ abandoned });
    }
    const record = await one.app.call(`/v1/calls/${lost[0]!.callId}`, { key: campaign.key });
    expect(record.body).toMatchObject({
      status: "completed",
      call_outcome: "abandoned",
      transcript_status: "ready",
      summary: expect.stringContaining("Nobody was free to talk"),
    });
    // Billed by the second, as any other.
    expect(record.body.cost_tokens).toBe(Math.ceil((Number(record.body.duration_seconds) * 90) / 60));
    expect(record.body.cost_tokens).toBeGreaterThan(0);
    const leads = await Promise.all(
      attempts.filter(({ abandoned }) => abandoned).map(({ lead_id }) => campaign.entry(String(lead_id))),
    );
    expect(leads.map(({ state }) => state)).toEqual(lost.map(() => "done"));
  });

  it("find a seat free again when its call has ended", async () => {
    const campaign = await withSeats(1, 3);
    const [first, second, third] = await answeredCalls(campaign, [
      "+12125550120",
      "+12125550121",
      "+12125550122",
    ]);
    expect(await first!.ports.takeSeat()).toBe(true);
    expect(await second!.ports.takeSeat()).toBe(false);
    await second!.end({ status: "completed", outcome: "abandoned" });
    await first!.end();
    expect(await third!.ports.takeSeat()).toBe(true);
    await third!.end();
  });

  it("are told who called, and where to call back, unless the template has words of its own", async () => {
    const campaign = await withSeats(2, 1);
    const calls = await answeredCalls(campaign, ["+12125550130"]);
    const { name } = (await one.app.callPrivate(campaign.path)).body;
    const message = calls[0]!.setup.abandonedMessage!;
    expect(message).toContain(`Sorry, ${name} called you`);
    expect(message).toContain("call us back at 4 1 5, 5 5 5, 0 1 9 9.");
    expect(message).toContain("press 9");
    const agents = (await one.app.call<{ data: { id: string }[] }>("/v1/agents", { key: campaign.key })).body;
    const changed = await one.app.call(`/v1/agents/${agents.data[0]!.id}`, {
      key: campaign.key,
      method: "PATCH",
      json: { call_template: { abandoned_message: "Sorry {{first_name}}. {{callback_number}}" } },
    });
    expect(changed.status).toBe(200);
    await campaign.addLead("+12125550131", { first_name: "Ada" });
    const [own] = await until(
      () => callsOf(["+12125550131"]),
      (found) => found.length === 1,
    );
    expect(own!.setup.abandonedMessage).toBe("Sorry Ada. 4 1 5, 5 5 5, 0 1 9 9");
    for (const call of [calls[0]!, own!]) await call.end();
  });
});

it("a campaign of the mode ai needs no seats, and no more does a call of the API", async () => {
  const campaign = await one.newCampaign();
  const [call] = await answeredCalls(campaign, ["+12125550140"]);
  expect(call!.setup.abandonedMessage).toBeNull();
  await call!.end();
  await one.app.call("/v1/calls", {
    key: campaign.key,
    json: { medium: "phone", to_number: "+12125550141", system_prompt: "x" },
  });
  expect(callsOf(["+12125550141"])[0]!.setup.abandonedMessage).toBeNull();
});
