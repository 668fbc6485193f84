// When somebody is told, as rows in virtual time.
import { describe, expect, it } from "vitest";
import type { Prompt } from "../api/types";
import { type State, initial } from "../store/state";
import { type Act, COOLDOWN_MS, DWELL_MS, decide, silent } from "./decide";

const prompt = (id: number, session: number, asked_ms: number) => ({ id, session, asked_ms }) as Prompt;
const board = (...prompts: Prompt[]): State => ({ ...initial, prompts: new Map(prompts.map((one) => [one.id, one])) });
const what = (acts: Act[]) => acts.map((act) => ("show" in act ? `show ${act.show.id}` : `hide ${act.hide}`));

describe("somebody is told", () => {
  it("after a while, once, and it is taken back when it is settled", () => {
    const asks = board(prompt(1, 1, 0));
    const [none, before, next] = decide(silent, asks, null, 100);
    expect([what(none), next]).toEqual([[], DWELL_MS]);
    const [show, told] = decide(before, asks, null, DWELL_MS);
    expect(what(show)).toEqual(["show 1"]);
    expect(what(decide(told, asks, null, DWELL_MS + 1)[0])).toEqual([]);
    expect(what(decide(told, board(), null, DWELL_MS + 2)[0])).toEqual(["hide 1"]);
  });

  it("never of what was answered at once", () => {
    const [, before] = decide(silent, board(prompt(1, 1, 0)), null, 100);
    expect(what(decide(before, board(), null, DWELL_MS)[0])).toEqual([]);
  });

  it("never of the session that is looked at, also when one looks away", () => {
    const [, seen] = decide(silent, board(prompt(1, 1, 0)), 1, DWELL_MS);
    expect(what(decide(seen, board(prompt(1, 1, 0)), null, 2 * DWELL_MS)[0])).toEqual([]);
  });

  it("not too often of one session, and at once of another", () => {
    const [, told] = decide(silent, board(prompt(1, 1, 0)), null, DWELL_MS);
    const later = board(prompt(2, 1, DWELL_MS), prompt(3, 2, 0));
    const [acts, after, next] = decide(told, later, null, 2 * DWELL_MS);
    expect(what(acts)).toEqual(["hide 1", "show 3"]);
    expect(next).toBe(DWELL_MS + COOLDOWN_MS);
    expect(what(decide(after, later, null, next ?? 0)[0])).toEqual(["show 2"]);
  });
});
