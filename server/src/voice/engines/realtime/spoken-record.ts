import type { Dialect } from "./session-settings.ts";

/** What the conversation consists of so far: enough to go on with it on another connection. */
export type RecordItem =
  | { kind: "user"; text: string | null; audio: string[] }
  | { kind: "agent"; text: string }
  | { kind: "tool_call"; callId: string; name: string; arguments: string }
  | { kind: "tool_result"; callId: string; output: string };

export interface SpokenRecord {
  add<Item extends RecordItem>(item: Item): Item;
  /** As `conversation.item.create` takes them, in order. */
  replay(dialect: Dialect): object[];
}

/** Of a conversation longer than this its beginning is forgotten when the connection changes. */
const MOST_ITEMS = 200;

export function createSpokenRecord(): SpokenRecord {
  let items: RecordItem[] = [];
  return {
    add(item) {
      items.push(item);
      if (items.length > MOST_ITEMS) items = items.slice(-MOST_ITEMS);
      return item;
    },
    replay(dialect) {
      // The output of a call that isn't there is refused.
      const calls = new Set(items.flatMap((item) => (item.kind === "tool_call" ? item.callId : [])));
      return items.flatMap((item) => {
        if (item.kind === "tool_result" && !calls.has(item.callId)) return [];
        return itemMessage(item, dialect) ?? [];
      });
    },
  };
}

/** The item as the server takes it; null when there is nothing in it. */
export function itemMessage(item: RecordItem, dialect: Dialect): object | null {
  switch (item.kind) {
    case "user": {
      if (item.text === null && item.audio.length === 0) return null;
      const content =
        item.text === null
          ? { type: "input_audio", audio: joinedBase64(item.audio) }
          : { type: "input_text", text: item.text };
      return { type: "message", role: "user", content: [content] };
    }
    case "agent": {
      if (item.text === "") return null;
      const type = dialect === "older" ? "text" : "output_text";
      return { type: "message", role: "assistant", content: [{ type, text: item.text }] };
    }
    case "tool_call":
      return { type: "function_call", call_id: item.callId, name: item.name, arguments: item.arguments };
    case "tool_result":
      return { type: "function_call_output", call_id: item.callId, output: item.output };
  }
}

function joinedBase64(parts: readonly string[]): string {
  return Buffer.concat(parts.map((part) => Buffer.from(part, "base64"))).toString("base64");
}
