import { createSocket } from "node:dgram";
import { once } from "node:events";

/** A SIP server that answers each INVITE at once, and looks at the clock. Tells its port; asked, tells what it has measured. */
const socket = createSocket("udp4");
const began = new Map<string, number>();
const took: number[] = [];
socket.on("message", (bytes, from) => {
  const text = bytes.toString();
  const [method = ""] = text.split(" ");
  const line = (name: string) => new RegExp(`^${name}:.*$`, "im").exec(text)?.[0] ?? "";
  const callId = line("Call-ID");
  const reply = (status: string, body = "") => {
    const head = [
      `SIP/2.0 ${status}`,
      line("Via"),
      line("From"),
      `${line("To")};tag=server`,
      callId,
      line("CSeq"),
      `Contact: <sip:server@127.0.0.1:${socket.address().port}>`,
      ...(body === "" ? [] : ["Content-Type: application/sdp"]),
      `Content-Length: ${body.length}`,
    ];
    socket.send([...head, "", body].join("\r\n"), from.port, from.address);
  };
  if (method === "INVITE") {
    began.set(callId, performance.now());
    reply(
      "200 OK",
      "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n",
    );
  } else if (method === "ACK") {
    const at = began.get(callId);
    if (at !== undefined) took.push(performance.now() - at);
    began.delete(callId);
  } else reply("200 OK");
});
socket.bind(0, "127.0.0.1");
await once(socket, "listening");
process.on("message", () => process.send!(took));
process.send!(socket.address().port);
