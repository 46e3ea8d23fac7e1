import pino from "pino";
import { toolDefinitions } from "../../voice/engines/tool-definitions.ts";
import { createVoicePlane, type VoicePlaneOptions } from "../../voice/session/create-voice-plane.ts";
import type { CallSetup } from "../../voice/session/ports.ts";
import type { LiveCall, VoicePlane } from "../../voice/session/voice-plane.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";
import { type FakeCarrier, type FakeCarrierCall, fakeCarrier } from "./fake-carrier.ts";
import { fakeDetectors } from "./fake-detectors.ts";
import { type FakePorts, fakePorts } from "./fake-ports.ts";
import { type FakeSpeech, fakeSpeech } from "./fake-speech.ts";
import { type HandDrivenMediaClock, handDrivenMediaClock } from "./hand-driven-media-clock.ts";

export interface VoiceHarness {
  clock: ManualClock;
  media: HandDrivenMediaClock;
  carrier: FakeCarrier;
  speech: FakeSpeech;
  plane: VoicePlane;
  /** Starts a phone call that rings. */
  dial(setup?: Partial<CallSetup>, ports?: FakePorts): Promise<StartedCall>;
}

export interface StartedCall {
  call: LiveCall;
  ports: FakePorts;
  line: FakeCarrierCall;
}

/** A voice plane on fakes, whose time is moved by hand. */
export function voiceHarness(
  options: Pick<VoicePlaneOptions, "engine"> & Partial<VoicePlaneOptions>,
): VoiceHarness {
  const clock = manualClock();
  const media = handDrivenMediaClock(clock);
  const carrier = fakeCarrier();
  const speech = fakeSpeech();
  const plane = createVoicePlane({
    clock,
    mediaClock: media,
    speech,
    detectors: fakeDetectors(),
    browserLegs: {
      open() {
        throw new Error("this harness has no browsers");
      },
      async close() {},
    },
    iceServers: [],
    carriers: [carrier],
    logger: pino({ enabled: false }),
    ...options,
  });
  let calls = 0;
  return {
    clock,
    media,
    carrier,
    speech,
    plane,
    async dial(setup = {}, ports = fakePorts()) {
      const call = await plane.startPhoneCall(callSetup({ callId: `call-${++calls}`, ...setup }), ports, {
        carrier,
        from: "+15035550000",
        to: "+15035550100",
      });
      return { call, ports, line: carrier.calls.at(-1) as FakeCarrierCall };
    },
  };
}

export function callSetup(setup: Partial<CallSetup> = {}): CallSetup {
  return {
    organizationId: "organization",
    callId: "call",
    medium: "phone",
    instructions: "Be kind.",
    greeting: "Hello, this is a test.",
    firstSpeaker: "agent",
    voice: "voice",
    temperature: 0.7,
    maxDurationSeconds: 1_800,
    recording: false,
    recordingAnnouncement: null,
    voicemailMessage: null,
    abandonedMessage: null,
    tools: Object.values(toolDefinitions),
    context: {},
    briefing: "This is Ada, who asked for a human.",
    ...setup,
  };
}
