import { randomInt } from "node:crypto";
import type { ConnectionOptions } from "node:tls";
import type { Clock } from "../../../clock.ts";
import type { RtpLegOptions } from "../../media/rtp-leg.ts";
import { type Carrier, CarrierRefusal, type DialRequest } from "../carrier.ts";
import type { AnswerInbound } from "../inbound.ts";
import { bindProblem } from "./bind-problem.ts";
import { openEndpoint, type SipEndpoint } from "./endpoint.ts";
import type { SipFlow } from "./flow.ts";
import { offerInboundCall } from "./inbound-call.ts";
import { keepTrunks, type TrunkKeeper } from "./keep-trunks.ts";
import { responseTo, type SipRequest } from "./message.ts";
import { placeOutboundCall } from "./outbound-call.ts";
import type { ResolveTarget } from "./resolve-target.ts";
import { createRouter, type Router } from "./router.ts";
import type { ServerTransaction } from "./server-transaction.ts";
import { openSipMedia } from "./sip-media.ts";
import type { Trunk, TrunkSource } from "./trunk.ts";
import { createTrunkHosts } from "./trunk-hosts.ts";
import type { TrunkLimits } from "./trunk-limits.ts";
import { createTrunkLines } from "./trunk-lines.ts";

export interface SipCarrier extends Carrier {
  /** Takes calls too, from now on: the socket is opened as soon as there is a trunk. */
  answerWith(answer: AnswerInbound): void;
  /** Trunks have been added or removed. */
  trunksChanged(): void;
}

export interface SipCarrierOptions extends Pick<RtpLegOptions, "ports"> {
  clock: Clock;
  /** Letters and digits that nobody else has and nobody can guess: tags, branches, nonces. */
  newToken(): string;
  source: TrunkSource;
  limits: TrunkLimits;
  resolve: ResolveTarget;
  bind: { address: string; port: number };
  /** What messages name; null: the address that is bound. */
  advertisedAddress: string | null;
  tls?: Pick<ConnectionOptions, "ca">;
  logger: {
    error(fields: object, message: string): void;
    warn(fields: object, message: string): void;
    info(fields: object, message: string): void;
  };
  /** Of the media: see RtpLegOptions. */
  now?(): number;
}

/** How long the ends of calls may take when the service is closed. Real time. */
const GRACE_MS = 2_000;

interface Opened {
  endpoint: SipEndpoint;
  router: Router;
  keeper: TrunkKeeper;
}

/** A carrier over SIP trunks. Nothing is bound before there is a trunk. */
export function createSipCarrier(options: SipCarrierOptions): SipCarrier {
  const { clock, logger, source, resolve } = options;
  const lines = createTrunkLines({
    clock,
    limits: options.limits,
    onError: (error) => logger.error({ err: error }, "what of a trunk is in use couldn't be told"),
  });
  const hosts = createTrunkHosts({ clock, source, resolve });
  const calls = new Set<{ hangup(): Promise<void>; settled(): Promise<void> }>();
  const leaving = new Set<Promise<unknown>>();
  let answerInbound: AnswerInbound | null = null;
  let opening: Promise<Opened> | null = null;
  let isClosed = false;
  let closing: Promise<void> | undefined;
  const onError = (error: unknown) => logger.error({ err: error }, "a SIP message couldn't be worked on");

  const openMedia = (flow: SipFlow, isProtected: boolean) =>
    openSipMedia({
      isProtected,
      ports: options.ports,
      localAddress: options.bind.address,
      advertisedAddress: flow.local.address,
      sessionId: randomInt(1, 2 ** 31),
      onError: (error) => logger.error({ err: error }, "a listener of a call's media failed"),
      ...(options.now ? { now: options.now } : {}),
    });

  async function open(): Promise<Opened> {
    const router = createRouter({
      newToken: options.newToken,
      inviteOf: (cancel) => endpoint.inviteOf(cancel),
      onInvite: (request, transaction) => void invited(request, transaction).catch(onError),
    });
    const endpoint: SipEndpoint = await openEndpoint({
      ...options,
      listens: true,
      onRequest: router.onRequest,
      onError,
    });
    const keeper = keepTrunks({
      endpoint,
      clock,
      source,
      resolve,
      onError,
      onReachable: ({ id }, isReachable) =>
        isReachable
          ? logger.info({ trunk_id: id }, "a trunk answers again")
          : logger.warn({ trunk_id: id }, "a trunk doesn't answer any more"),
      onRegistered: ({ id }, isRegistered, status) =>
        isRegistered
          ? logger.info({ trunk_id: id }, "a trunk has registered us")
          : logger.warn({ trunk_id: id, status }, "a trunk hasn't registered us"),
    });
    logger.info({ address: options.bind.address, port: endpoint.port }, "SIP is listening");
    return { endpoint, router, keeper };
  }

  /** @throws CarrierRefusal when the socket can't be bound */
  function opened(): Promise<Opened> {
    opening ??= open().catch((error: unknown) => {
      opening = null;
      const message = bindProblem(options.bind, error);
      logger.error({ err: error }, message);
      throw new CarrierRefusal("no_voice_carrier_available", message);
    });
    return opening;
  }

  async function openIfNeeded(): Promise<void> {
    hosts.forget();
    if (isClosed) return;
    if (opening) (await opening).keeper.changed();
    else if ((await source.allTrunks()).length > 0) await opened();
  }

  function keep(call: { hangup(): Promise<void>; settled(): Promise<void> }): () => void {
    calls.add(call);
    return () => {
      calls.delete(call);
      const settled = call.settled().finally(() => leaving.delete(settled));
      leaving.add(settled);
    };
  }

  async function invited(request: SipRequest, transaction: ServerTransaction): Promise<void> {
    const refuse = (status: number, reason: string) =>
      transaction.respond(responseTo(request, status, reason, { tag: options.newToken() }));
    if (isClosed || !answerInbound) return refuse(503, "Service Unavailable");
    let trunks: Trunk[];
    try {
      trunks = await hosts.at(transaction.flow.remote.address);
    } catch (error) {
      onError(error);
      return refuse(500, "Server Internal Error");
    }
    if (trunks.length === 0) return refuse(403, "Forbidden");
    const { endpoint, router } = await opened();
    if (isClosed || transaction.isAnswered()) return refuse(503, "Service Unavailable");
    let release: () => void = () => undefined;
    let leaveLine: () => void = () => undefined;
    let isOver = false;
    const offered = await offerInboundCall(
      {
        endpoint,
        router,
        resolve,
        openMedia: (flow) => openMedia(flow, false),
        credentials: trunks[0]!.credentials,
        onEnded() {
          isOver = true;
          leaveLine();
          release();
        },
      },
      request,
      transaction,
    ).catch((error: unknown) => {
      if (error instanceof CarrierRefusal) return null;
      throw error;
    });
    if (!offered) return;
    release = keep({ hangup: offered.call.hangup, settled: offered.settled });
    const carrier: Carrier = {
      name: "sip",
      dial: async () => offered.call,
      close: async () => undefined,
    };
    try {
      // One host may carry for several: whoever of them knows the number.
      for (const organizationId of ownersOf(trunks)) {
        const answer = await answerInbound({ organizationId, from: offered.from, to: offered.to, carrier });
        if (answer === "taken") {
          // The trunk has let it through: it counts, and isn't refused.
          leaveLine = lines.occupy(trunkOf(trunks, organizationId));
          if (isOver) leaveLine();
          return;
        }
        if (answer !== "no_agent") return offered.refuse(answer);
      }
      offered.refuse("no_agent");
    } catch (error) {
      onError(error);
      offered.refuse("unavailable");
    }
  }

  async function dial(request: DialRequest) {
    if (isClosed) throw shuttingDown();
    const trunks = await source.trunksOf(request.organizationId);
    const usable = trunks.filter(({ id }) => !lines.isResting(id));
    if (usable.length === 0) {
      throw new CarrierRefusal(
        "no_voice_carrier_available",
        trunks.length === 0
          ? "There is no SIP trunk for this organization: add one with `outreach trunk add`."
          : "Every SIP trunk has asked to be left alone for a while.",
      );
    }
    const { endpoint, router } = await opened();
    if (isClosed) throw shuttingDown();
    return placeOutboundCall(
      {
        endpoint,
        clock,
        router,
        resolve,
        lines,
        openMedia,
        onTrunkFailed: ({ id }, status) =>
          logger.info({ trunk_id: id, call_id: request.callId, status }, "a trunk didn't connect a call"),
        onPlaced: keep,
      },
      usable,
      request,
    );
  }

  return {
    name: "sip",
    dial,
    async freeLines(organizationId) {
      const trunks = await source.trunksOf(organizationId);
      // Without any, dialing tells what is wrong.
      if (trunks.length === 0) return Number.POSITIVE_INFINITY;
      return lines.free(trunks);
    },
    answerWith(answer) {
      answerInbound = answer;
      openIfNeeded().catch(logged);
    },
    trunksChanged: () => void openIfNeeded().catch(logged),
    close: () => (closing ??= close()),
  };

  async function close(): Promise<void> {
    isClosed = true;
    lines.close();
    await Promise.all([...calls].map((call) => call.hangup()));
    const left = await opening?.catch(() => null);
    if (!left) return;
    await within(GRACE_MS, Promise.allSettled([left.keeper.close(), ...leaving]));
    await left.endpoint.close();
  }

  function logged(error: unknown): void {
    // What is wrong with the address has been said.
    if (!(error instanceof CarrierRefusal)) logger.error({ err: error }, "the SIP trunks couldn't be read");
  }
}

function shuttingDown(): CarrierRefusal {
  return new CarrierRefusal("no_voice_carrier_available", "The carrier is shutting down.");
}

/** Organizations' own trunks first; null stands for all of them. */
function ownersOf(trunks: readonly Trunk[]): (string | null)[] {
  const owners = [...new Set(trunks.map(({ organizationId }) => organizationId))];
  return owners.sort((one, other) => Number(one === null) - Number(other === null));
}

/** Who of several trunks at one host has sent a call nobody can tell: the first one whose channels are counted, if any are. */
function trunkOf(trunks: readonly Trunk[], organizationId: string | null): Trunk {
  const own = trunks.filter((trunk) => trunk.organizationId === organizationId);
  return own.find(({ channels }) => channels !== null) ?? own[0]!;
}

async function within(ms: number, done: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}
