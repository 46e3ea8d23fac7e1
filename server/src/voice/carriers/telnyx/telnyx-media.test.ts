import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { mediaSocketServer } from "../../../testing/voice/media-socket-pair.ts";
import { openTelnyxStream } from "../../../testing/voice/telnyx-stream.ts";
import { mediaLegContract } from "../../media/media-leg.contract.ts";
import { openMediaSocketLeg } from "../media-socket/index.ts";
import { createTelnyxDialect } from "./telnyx-dialect.ts";

async function openBoth() {
  const { sockets, url, close } = await mediaSocketServer();
  let path = "";
  const accepted = new Promise<WebSocket>((resolve) => {
    path = sockets.expect("telnyx", resolve).path;
  });
  const stream = openTelnyxStream(new WebSocket(url + path), {
    call_control_id: "v3:call",
    from: "+12125550199",
    to: "+12125550100",
  });
  const socket = await accepted;
  let isStarted = () => {};
  const started = new Promise<void>((resolve) => {
    isStarted = resolve;
  });
  const leg = openMediaSocketLeg({
    socket,
    dialect: createTelnyxDialect({ isOurs: () => true, onProblem: () => undefined }),
    onStarted: isStarted,
    onLost: () => undefined,
  });
  await started;
  const far = await stream;
  const tick = async () => {
    far.tick();
    await new Promise<void>((resolve) => setTimeout(resolve, 2));
  };
  return {
    leg,
    far,
    tick,
    async close() {
      leg.close();
      far.drop();
      await close();
    },
  };
}

mediaLegContract("Telnyx's media streaming", openBoth);

it("is heard in the order in which it was said, also when it comes in another", async () => {
  const { leg, far, tick, close } = await openBoth();
  far.say(Int16Array.from({ length: 160 * 40 }, (_, at) => 500 * (1 + Math.floor(at / 160))));
  const levels: number[] = [];
  for (let turn = 0; turn < 60; turn++) {
    if (turn % 4 === 1) far.shuffle([2, 0, 1]);
    await tick();
    const frame = leg.receive();
    if (frame && !frame.concealed) levels.push(Math.max(...frame.samples));
  }
  const said = levels.filter((level) => level > 200);
  expect(said.length).toBeGreaterThan(25);
  expect(said).toEqual([...said].sort((one, other) => one - other));
  expect(far.mistakes).toEqual([]);
  await close();
});

it("asks for a mark each second, and gets it", async () => {
  const { leg, far, tick, close } = await openBoth();
  for (let frame = 0; frame < 110; frame++) {
    leg.send(new Int16Array(160).fill(3_000));
    await tick();
  }
  await expect.poll(() => far.heard.filter((level) => level > 2_000).length).toBe(110);
  expect(far.mistakes).toEqual([]);
  expect(leg.stats().packetsRefused).toBe(0);
  await close();
});
