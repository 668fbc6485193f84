// When a tap answers a card, as rows in virtual time.
import { describe, expect, it } from "vitest";
import type { Prompt, Session, Settled } from "../api/types";
import { DEAD_MS, face, happened, ready } from "./guard";
import { asked, front } from "./order";
import { reduce } from "./reduce";
import { type Fact, type State, initial } from "./state";

const mkdir = { id: 1, session: 1, kind: "permission", tool: "Bash", text: "mkdir x", asked_ms: 1 } as Prompt;
const push = { id: 2, session: 2, kind: "permission", tool: "Bash", text: "rm -rf x && git push --force", asked_ms: 2 } as Prompt;
const asks = (prompt: Prompt): Fact => ({ type: "event", event: { type: "pty_permission", prompt } });
const settles = (id: number): Fact => ({ type: "event", event: { type: "pty_permission_resolved", prompt: { id, outcome: "allow", by: "me" } as Settled } });
const paints = (prompt: Prompt, at: number, place = "10,700"): Fact => ({ type: "painted", card: face(prompt), place, at });
const leaves = (prompt: Prompt, at: number): Fact => ({ type: "unpainted", card: face(prompt), at });
const taps = (id: number, at: number): Fact => ({ type: "answering", id, at });
const fails: Fact = { type: "answer-failed", id: 1, why: "no", over: false };
const board: Fact = { type: "board", sessions: [] as Session[], prompts: [mkdir, push] };
const after = (...facts: Fact[]) => facts.reduce(reduce, initial as State);

/** The first card was painted at 0, and can be answered now. */
const T = 5_000;
/** The first card was tapped at T and is settled, and the second is painted in its place. */
const next = [board, paints(mkdir, 0), taps(1, T), settles(1), leaves(mkdir, T + 80), paints(push, T + 80)];

describe("a tap counts", () => {
  const rows: [string, Fact[], number, number, boolean][] = [
    ["on a card that was there", [board, paints(mkdir, 0)], 1, T, true],
    ["at the end of the dead time", [board, paints(mkdir, 0)], 1, DEAD_MS, true],
    ["not on a card that was just painted", [board, paints(mkdir, 0)], 1, DEAD_MS - 1, false],
    ["not on a card that is not painted", [board], 1, T, false],
    ["not on a card behind the one that is painted", [board, paints(mkdir, 0)], 2, T, false],
    ["not twice", [board, paints(mkdir, 0), taps(1, T)], 1, T + 5_000, false],
    ["not 120 ms after an answer, on the next card", next, 2, T + 120, false],
    ["on the next card, when its dead time is over", next, 2, T + 80 + DEAD_MS, true],
    ["not before the next card was painted, however late it is handled", next, 2, T + 60, false],
    ["not on the next card after an answer of another device", [board, paints(mkdir, 0), settles(1), leaves(mkdir, T), paints(push, T)], 2, T + 120, false],
    ["not on a card that was put before another", [asks(push), paints(push, 0), asks(mkdir), leaves(push, T), paints(mkdir, T)], 1, T + 120, false],
    ["not on a card whose content was replaced", [board, paints(mkdir, 0), asks({ ...mkdir, text: "rm -rf /" })], 1, T, false],
    ["not just after the replaced content was painted", [board, paints(mkdir, 0), asks({ ...mkdir, text: "rm" }), paints({ ...mkdir, text: "rm" }, T)], 1, T + 120, false],
    ["on a card that is told of again as it is", [board, paints(mkdir, 0), asks({ ...mkdir }), board, paints(mkdir, T)], 1, T + 1, true],
    ["not on buttons that have moved", [board, paints(mkdir, 0), paints(mkdir, T, "10,640")], 1, T + 120, false],
    ["not on a card that was unfolded", [board, paints(mkdir, 0), leaves(mkdir, T), paints(mkdir, T)], 1, T + 120, false],
    ["not on a page that was just opened by a notification", [board, paints(mkdir, 0), { type: "revealed", at: T }], 1, T + 120, false],
    ["not just after an answer that failed", [board, paints(mkdir, 0), taps(1, T), fails], 1, T + 120, false],
    ["again, a while after an answer that failed", [board, paints(mkdir, 0), taps(1, T), fails], 1, T + DEAD_MS, true],
  ];
  it.each(rows)("%s", (_, facts, id, at, counts) => {
    const before = after(...facts);
    const then = reduce(before, taps(id, at));
    // A tap that does not count changes nothing at all.
    expect(then !== before).toBe(counts);
    if (counts) expect(then.sending.get(id)).toEqual({ is: "sending" });
  });

  it("once, of a finger that taps every 120 ms, until a card was there for the dead time", () => {
    let state = after(...next);
    for (let at = T + 120; at < T + 80 + DEAD_MS; at += 120) state = reduce(state, taps(2, at));
    expect(state).toEqual(after(...next));
    expect(front(asked(state), 2)).toEqual(push);
  });

  it("on a session without a hub by the same rule", () => {
    const alone = (at: number): Fact => ({ type: "answering-alone", card: face(mkdir), at });
    const state = after(paints(mkdir, 0));
    expect(reduce(state, alone(DEAD_MS - 1))).toBe(state);
    const answered = reduce(state, alone(T));
    expect(answered.guard.answered).toBe(T);
    expect(reduce(answered, alone(T + 120))).toBe(answered);
    expect(reduce(answered, { type: "answering-alone", card: face(push), at: T * 2 })).toBe(answered);
  });

  it("below a card only when the card has left for the dead time", () => {
    expect(ready(initial.guard)).toBe(-Infinity);
    expect(ready(after(board, paints(mkdir, 0), settles(1), leaves(mkdir, T)).guard)).toBe(T + DEAD_MS);
    // The card that left is not the one that is painted.
    expect(ready(after(board, paints(push, 0), leaves(mkdir, T)).guard)).toBe(DEAD_MS);
  });
});

describe("a tap happened", () => {
  it.each([
    ["when the finger was there, not when it was handled", 1_000, 1_900, 1_000],
    ["now, without a time", 0, 1_900, 1_900],
    ["now, with the time of another clock: ahead", 1_700_000_000_000, 1_900, 1_900],
    ["now, with the time of another clock: behind", 1_000, 90_000, 90_000],
  ])("%s", (_, timeStamp, now, at) => expect(happened(timeStamp, now)).toBe(at));
});
