// What the app makes of what it is told, as rows.
import { describe, expect, it } from "vitest";
import type { Prompt, Session, Settled } from "../api/types";
import { DEAD_MS, face } from "./guard";
import { asked, front, queue, sorted } from "./order";
import { reduce } from "./reduce";
import { type Fact, type State, initial } from "./state";

const session = (id: number, more: Partial<Session> = {}) =>
  ({ id, agent: "claude", state: "idle", since_ms: id, control: "owned", attention: "rests", ...more }) as Session;
const prompt = (id: number, of = 1) => ({ id, session: of, kind: "permission", tool: "Bash", asked_ms: id }) as Prompt;
const over = (id: number, by = "phone") => ({ id, outcome: "allow", by }) as Settled;
const after = (...facts: Fact[]) => facts.reduce(reduce, initial as State);
const board = (sessions: Session[], prompts: Prompt[]): Fact => ({ type: "board", sessions, prompts });
const asks = (id: number): Fact => ({ type: "event", event: { type: "pty_permission", prompt: prompt(id) } });
/** A card that was painted long before it is answered. */
const paints = (id: number): Fact => ({ type: "painted", card: face(prompt(id)), place: "", at: id * 10_000 });
const answers = (id: number): Fact => ({ type: "answering", id, at: id * 10_000 + DEAD_MS });
const settles = (id: number): Fact => ({ type: "event", event: { type: "pty_permission_resolved", prompt: over(id) } });

describe("the board", () => {
  it("is replaced whole, and what was being answered on it stays so", () => {
    const state = after(board([session(1)], [prompt(1), prompt(2)]), paints(1), answers(1), paints(2), answers(2), board([session(2)], [prompt(2)]));
    expect([...state.sessions.keys()]).toEqual([2]);
    expect([...state.sending.keys()]).toEqual([2]);
  });

  it("takes an event about a session for all of it", () => {
    const event = { type: "state_change", session: session(1, { state: "working" }), prev: "idle", next: "working", reason: "" } as const;
    const state = after(board([session(1)], []), { type: "event", event });
    expect(state.sessions.get(1)?.state).toBe("working");
    expect(after(board([session(1)], []), { type: "event", event: { type: "session_forgotten", id: 1 } }).sessions.size).toBe(0);
  });

  it("puts first who needs a person, and then who has waited longest", () => {
    const state = after(board([session(1, { attention: "works" }), session(3, { attention: "asks" }), session(2, { attention: "asks" }), session(4, { attention: "failed" })], []));
    expect(sorted(state).map((one) => one.id)).toEqual([2, 3, 4, 1]);
  });

  it("does not mind what it does not know", () => {
    const event = { type: "something_new" } as never;
    expect(after({ type: "event", event })).toEqual(initial);
  });
});

describe("a prompt", () => {
  it("is asked once, however often it is told", () => {
    const state = after(board([session(1)], [prompt(1)]), asks(1), asks(2));
    expect(asked(state).map((one) => one.id)).toEqual([1, 2]);
    expect(asked(state, 9)).toEqual([]);
  });

  it.each([
    ["answered here", [answers(1), settles(1)], true],
    ["answered elsewhere", [settles(1)], false],
    ["answered elsewhere while it was being answered here", [answers(1), { type: "answer-failed", id: 1, why: "late", over: true }, settles(1)] as Fact[], false],
  ])("%s goes, and says by whom", (_, facts, here) => {
    const state = after(board([session(1)], [prompt(1)]), paints(1), ...facts);
    expect(state.prompts.size).toBe(0);
    expect(state.sending.size).toBe(0);
    expect(state.gone.get(1)).toMatchObject({ by: "phone", outcome: "allow", here });
    expect(reduce(state, { type: "seen-gone", id: 1 }).gone.size).toBe(0);
  });

  it("that could not be answered can be answered again", () => {
    const state = after(board([session(1)], [prompt(1)]), paints(1), answers(1), { type: "answer-failed", id: 1, why: "no", over: false });
    expect(state.sending.get(1)).toEqual({ is: "failed", why: "no" });
    expect(reduce(state, { type: "answering", id: 1, at: 20_000 }).sending.get(1)).toEqual({ is: "sending" });
  });

  it("that nobody has seen leaves no trace", () => {
    expect(after(settles(7)).gone.size).toBe(0);
    expect(after(paints(7), answers(7)).sending.size).toBe(0);
  });
});

describe("the card in front", () => {
  it("stays there until it is settled, whatever is asked before it or of the session on the page", () => {
    const before = after(board([session(1), session(2)], [prompt(5, 1)]));
    const state = reduce(before, { type: "event", event: { type: "pty_permission", prompt: prompt(3, 2) } });
    expect(queue(state, 2).map((one) => one.id)).toEqual([3, 5]);
    expect(front(queue(state, 2), 5)?.id).toBe(5);
    expect(front(queue(reduce(state, settles(5)), 2), 5)?.id).toBe(3);
    expect(front(queue(state, 2), null)?.id).toBe(3);
    expect(front([], 5)).toBeUndefined();
  });
});
