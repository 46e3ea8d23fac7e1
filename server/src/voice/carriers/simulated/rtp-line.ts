import type { MediaLeg } from "../../media/media-leg.ts";
import { openRtpLeg, type RtpLegOptions } from "../../media/rtp-leg.ts";

const LOOPBACK = "127.0.0.1";
/** What trunks commonly negotiate. */
const TELEPHONE_EVENT = 101;

/**
 * Both ends of a simulated call's line: two RTP legs that send to each other over loopback.
 * @throws NoRtpPortFree
 */
export async function openRtpLine(
  options: Pick<RtpLegOptions, "ports" | "now" | "onError">,
): Promise<{ ours: MediaLeg; theirs: MediaLeg }> {
  const leg = () =>
    openRtpLeg({
      ...options,
      localAddress: LOOPBACK,
      payloadType: "pcmu",
      telephoneEventPayloadType: TELEPHONE_EVENT,
    });
  const ours = await leg();
  try {
    const theirs = await leg();
    ours.setRemote({ address: LOOPBACK, port: theirs.localPort });
    theirs.setRemote({ address: LOOPBACK, port: ours.localPort });
    return { ours, theirs };
  } catch (error) {
    ours.close();
    throw error;
  }
}
