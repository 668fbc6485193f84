// Conversations page by page.
import { describe, expect, it } from "vitest";
import type { Conversation, Entry } from "../api/types";
import { type Item, type Talk, fold, nothing } from "./fold";

let line = 0;
const entry = (kind: string, more: Partial<Entry> = {}) => ({ kind, line: line++, index: 0, is_error: false, ...more }) as Entry;
const page = (next: number, entries: Entry[], more = false, id = "c") => ({ session_id: id, entries, next, more }) as Conversation;
const kinds = (talk: Talk) => talk.items.map((item: Item) => (item.is === "text" ? `${item.who}: ${item.text}` : item.is));

describe("a conversation", () => {
  it("grows page by page, and a page that comes twice adds nothing", () => {
    const first = page(2, [entry("user", { text: "hi" }), entry("assistant", { text: "hello" })], true);
    const second = page(3, [entry("user", { text: "more" })]);
    let talk = fold(nothing, 0, first);
    expect(talk.whole).toBe(false);
    talk = fold(talk, 0, first);
    talk = fold(talk, 2, second);
    talk = fold(talk, 2, second);
    expect(kinds(talk)).toEqual(["user: hi", "assistant: hello", "user: more"]);
    expect([talk.next, talk.whole]).toEqual([3, true]);
  });

  it("puts results to their calls, also of calls at once", () => {
    const entries = [
      entry("tool_call", { tool: "Bash", tool_id: "a" }),
      entry("tool_call", { tool: "Read", tool_id: "b" }),
      entry("tool_result", { tool_id: "b", text: "two" }),
      entry("tool_result", { tool_id: "a", text: "one" }),
      entry("tool_result", { tool_id: "lost", text: "of nobody" }),
    ];
    const talk = fold(nothing, 0, page(5, entries));
    const results = talk.items.map((item) => (item.is === "tool" ? item.result?.text : item.is));
    expect(results).toEqual(["one", "two", "mark"]);
  });

  it("puts pictures to the calls that have read them, and else where they are", () => {
    const entries = [
      entry("tool_call", { tool: "Read", tool_id: "a" }),
      entry("tool_result", { tool_id: "a", text: "" }),
      entry("image", { tool_id: "a", media_type: "image/png", data: "AAAA" }),
      entry("image", { media_type: "image/png", data: "BBBB" }),
    ];
    const [tool, image] = fold(nothing, 0, page(4, entries)).items;
    expect(tool?.is === "tool" && tool.images.map(({ data }) => data)).toEqual(["AAAA"]);
    expect(image?.is === "image" && image.image.data).toBe("BBBB");
  });

  it("folds what a subagent does into one", () => {
    const entries = [
      entry("user", { text: "go" }),
      entry("assistant", { text: "inside", agent: "x" }),
      entry("assistant", { text: "outside" }),
      entry("tool_call", { tool: "Bash", tool_id: "a", agent: "x" }),
      entry("tool_result", { tool_id: "a", text: "done", agent: "x" }),
    ];
    const talk = fold(nothing, 0, page(5, entries));
    expect(kinds(talk)).toEqual(["user: go", "agent", "assistant: outside"]);
    const [, agent] = talk.items;
    expect(agent?.is === "agent" && agent.items.map((item) => item.is)).toEqual(["text", "tool"]);
  });

  it("begins anew with another conversation", () => {
    const old = fold(nothing, 0, page(1, [entry("user", { text: "old" })]));
    const cleared = fold(old, 1, page(9, [entry("user", { text: "wrong place" })], false, "d"));
    expect(cleared).toEqual(nothing);
    expect(kinds(fold(cleared, 0, page(1, [entry("user", { text: "new" })], false, "d")))).toEqual(["user: new"]);
  });

  it("takes ten thousand entries at once", () => {
    const entries = Array.from({ length: 10_000 }, (_, at) => entry(at % 2 ? "tool_result" : "tool_call", { tool: "Bash", tool_id: `${at >> 1}` }));
    expect(fold(nothing, 0, page(10_000, entries)).items.length).toBe(5000);
  });
});
