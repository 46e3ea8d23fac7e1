import { type Carrier, CarrierRefusal, type DialRequest } from "../../voice/carriers/carrier.ts";

/** Asks nobody, and is nobody's second choice: it only pretends. */
const SIMULATED = "simulated";

/** What doesn't speak against the call, only against the carrier. */
const GOES_ON_AFTER: readonly string[] = ["no_voice_carrier_available", "carrier_dial_failed"];

/**
 * A carrier that asks the one named `own`, and when that can't take the call those of the order, until one does. Never after one
 * has taken it or may have, and never when one says that the call is blocked or that it has no line free.
 * @throws CarrierRefusal where there is nobody to ask
 * @param options `onTaken` is told who has the call, before anything of it happens; `onRefused` each one that hadn't
 */
export function dialInOrder(options: {
  /** As stored with the number. */
  own: string;
  /** Names, in their order. */
  order: readonly string[];
  /** Those of this process. */
  carriers: ReadonlyMap<string, Carrier>;
  onTaken(name: string): void;
  onRefused(name: string, refusal: CarrierRefusal): void;
}): Carrier {
  const { own, carriers } = options;
  const others = own === SIMULATED ? [] : options.order.filter((name) => name !== own && name !== SIMULATED);
  const names = [own, ...others.filter((name) => carriers.has(name))];
  if (names.length === 1 && !carriers.has(own)) throw notHere(own);

  async function ask(name: string, request: DialRequest) {
    const carrier = carriers.get(name);
    if (!carrier) throw notHere(name);
    const call = await carrier.dial(request);
    options.onTaken(name);
    return call;
  }

  return {
    name: own,
    async dial(request) {
      let first: CarrierRefusal | undefined;
      for (const name of names) {
        try {
          return await ask(name, request);
        } catch (error) {
          if (!(error instanceof CarrierRefusal) || error.mayBeTaken || !GOES_ON_AFTER.includes(error.code))
            throw error;
          if (names.length > 1) options.onRefused(name, error);
          // What the number's own carrier says is what its operator has to mend.
          first ??= error;
        }
      }
      throw first;
    },
    close: async () => undefined,
  };
}

function notHere(name: string): CarrierRefusal {
  return new CarrierRefusal("no_voice_carrier_available", `There is no carrier ${name} in this process.`);
}
