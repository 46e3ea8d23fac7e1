// The model servers of engine-overhead.bench.ts, in a process of their own: they answer at once.
import { modelServer } from "../server/src/testing/voice/model-server.ts";
import { realtimeServer } from "../server/src/testing/voice/realtime-server.ts";

const models = await modelServer();
const realtime = await realtimeServer();
process.on("disconnect", () => process.exit());
process.send?.({ models: models.url, realtime: realtime.url });
