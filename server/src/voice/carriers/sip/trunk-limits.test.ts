import { manualClock } from "../../../testing/manual-clock.ts";
import { memoryTrunkLimits } from "../../../testing/voice/memory-trunk-limits.ts";
import type { Trunk } from "./trunk.ts";
import { trunkLimitsContract } from "./trunk-limits.contract.ts";

trunkLimitsContract("the stand-in of the carriers' tests", async () => {
  const clock = manualClock();
  const limits = memoryTrunkLimits(clock);
  let trunks = 0;
  return {
    processes: [limits, limits],
    clock,
    newTrunk: async ({ channels, callsPerSecond }): Promise<Trunk> => ({
      id: `trunk-${++trunks}`,
      organizationId: null,
      name: "made up",
      host: "127.0.0.1",
      port: 9,
      protocol: "udp",
      credentials: null,
      channels,
      callsPerSecond,
      register: false,
    }),
    close: async () => undefined,
  };
});
