// A conversation as it is shown: calls with their results, subagents folded, nothing twice. Pure.
import type { Conversation, Entry } from "../api/types";

/** One thing on the page. */
export type Item =
  | { is: "text"; key: string; who: "user" | "assistant"; text: string; line: number; at: string | null }
  | { is: "thinking"; key: string; text: string; line: number }
  | { is: "tool"; key: string; call: Entry; result: Entry | null; images: readonly Entry[]; line: number }
  | { is: "image"; key: string; image: Entry; line: number }
  | { is: "mark"; key: string; kind: "error" | "interrupted" | "compaction" | "result"; text: string; line: number }
  | { is: "agent"; key: string; name: string; items: Item[]; line: number };

export interface Talk {
  /** Of which conversation; a new one begins anew. */
  id: string | null;
  next: number;
  items: readonly Item[];
  /** Everything there is has come. */
  whole: boolean;
  usage: Conversation["usage"];
  cost: Conversation["cost"];
}

export const nothing: Talk = { id: null, next: 0, items: [], whole: false, usage: null, cost: null };

/** What is known after another page. One that does not go on where we are is of a reply that was overtaken. */
export function fold(talk: Talk, after: number, page: Conversation): Talk {
  const id = page.session_id ?? null;
  if (talk.id !== null && id !== null && id !== talk.id) return after === 0 ? fold(nothing, 0, page) : nothing;
  if (after !== talk.next) return talk;
  const items = [...talk.items];
  for (const entry of page.entries) add(items, entry);
  const { usage = talk.usage, cost = talk.cost } = page;
  return { id: id ?? talk.id, next: page.next, items, whole: !page.more, usage, cost };
}

function add(items: Item[], entry: Entry): void {
  if (entry.agent) {
    addToAgent(items, entry, entry.agent);
    return;
  }
  if (entry.kind === "tool_result" && finish(items, entry)) return;
  if (entry.kind === "image" && entry.tool_id && illustrate(items, entry)) return;
  const item = itemOf(entry);
  if (item) items.push(item);
}

/** What a subagent does is one item, however much it is. */
function addToAgent(items: Item[], entry: Entry, name: string): void {
  const at = items.findLastIndex((item) => item.is === "agent" && item.name === name);
  const found = items[at];
  const inner = found?.is === "agent" ? [...found.items] : [];
  add(inner, { ...entry, agent: null });
  const folded: Item = { is: "agent", key: found?.key ?? key(entry), name, items: inner, line: found?.line ?? entry.line };
  if (found) items[at] = folded;
  else items.push(folded);
}

/** Puts a result to its call. Calls are near: there are as many at once as a model makes. */
function finish(items: Item[], result: Entry): boolean {
  const at = items.findLastIndex((item) => item.is === "tool" && !item.result && item.call.tool_id === result.tool_id);
  const found = items[at];
  if (found?.is !== "tool") return false;
  items[at] = { ...found, result };
  return true;
}

/** Puts a picture to the call whose result it is part of. */
function illustrate(items: Item[], image: Entry): boolean {
  const at = items.findLastIndex((item) => item.is === "tool" && item.call.tool_id === image.tool_id);
  const found = items[at];
  if (found?.is !== "tool") return false;
  items[at] = { ...found, images: [...found.images, image] };
  return true;
}

function itemOf(entry: Entry): Item | null {
  const { line } = entry;
  const text = entry.text ?? "";
  const base = { key: key(entry), line };
  switch (entry.kind) {
    case "user":
    case "assistant":
      return { is: "text", ...base, who: entry.kind, text, at: entry.timestamp ?? null };
    case "thinking":
      return text ? { is: "thinking", ...base, text } : null;
    case "tool_call":
      return { is: "tool", ...base, call: entry, result: null, images: [] };
    case "image":
      return { is: "image", ...base, image: entry };
    case "tool_result":
      return { is: "mark", ...base, kind: "result", text };
    case "error":
    case "interrupted":
    case "compaction":
      return { is: "mark", ...base, kind: entry.kind, text };
    default:
      // Lines of the log that nobody has said.
      return null;
  }
}

function key(entry: Entry): string {
  return `${entry.line}:${entry.index}`;
}
