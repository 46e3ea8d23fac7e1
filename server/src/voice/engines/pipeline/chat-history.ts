export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string; tool_calls?: ChatToolCall[] }
  | { role: "tool"; tool_call_id: string; content: string };

interface ChatToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** Something the agent said: its words are cut when the person cuts in. */
export interface Said {
  /** Empty: not said at all. */
  text: string;
  calls: readonly { id: string; name: string; arguments: string }[];
}

/** The conversation as a chat model takes it. */
export interface ChatHistory {
  user(text: string): void;
  agent(): Said;
  result(callId: string, content: string): void;
  /** @param direction what the model is told beside it, this once */
  messages(direction?: string): ChatMessage[];
}

/** Of a longer conversation the beginning is forgotten. */
const MOST_ENTRIES = 200;

export function createChatHistory(instructions: string): ChatHistory {
  let entries: ({ user: string } | { said: Said })[] = [];
  const results = new Map<string, string>();
  const add = (entry: (typeof entries)[number]) => {
    entries.push(entry);
    if (entries.length > MOST_ENTRIES) entries = entries.slice(-MOST_ENTRIES);
  };

  return {
    user: (text) => add({ user: text }),
    agent() {
      const said: Said = { text: "", calls: [] };
      add({ said });
      return said;
    },
    result: (callId, content) => void results.set(callId, content),
    messages(direction) {
      const told = entries.flatMap((entry): ChatMessage[] => {
        if ("user" in entry) return [{ role: "user", content: entry.user }];
        const { text, calls } = entry.said;
        if (text === "" && calls.length === 0) return [];
        const tool_calls = calls.map(
          ({ id, ...call }): ChatToolCall => ({ id, type: "function", function: call }),
        );
        return [
          { role: "assistant", content: text, ...(calls.length > 0 ? { tool_calls } : {}) },
          // A call without its result is refused.
          ...calls.map(
            ({ id }): ChatMessage => ({
              role: "tool",
              tool_call_id: id,
              content: results.get(id) ?? '{"status":"under way"}',
            }),
          ),
        ];
      });
      return [
        { role: "system", content: instructions },
        ...told,
        ...(direction === undefined ? [] : [{ role: "system" as const, content: direction }]),
      ];
    },
  };
}
