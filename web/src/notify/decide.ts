// When a person is told of what is asked, and when that is taken back. Pure: time comes in.
import type { Prompt } from "../api/types";
import type { State } from "../store/state";

/** Somebody at the terminal may be about to answer. */
export const DWELL_MS = 2000;
/** One session makes itself heard at most so often. */
export const COOLDOWN_MS = 10_000;

export interface Told {
  /** What is shown now, by the number of the prompt. */
  shown: ReadonlySet<number>;
  /** Everything that was ever told of: nothing is told twice. */
  known: ReadonlySet<number>;
  /** When a session was last told of. */
  last: ReadonlyMap<number, number>;
}

export const silent: Told = { shown: new Set(), known: new Set(), last: new Map() };

export type Act = { show: Prompt } | { hide: number };

/** What is to be done now, what is known after it, and when to look again. */
export function decide(told: Told, state: State, viewed: number | null, now: number): [Act[], Told, number | null] {
  const acts: Act[] = [];
  const shown = new Set(told.shown);
  const known = new Set(told.known);
  const last = new Map(told.last);
  let next: number | null = null;
  for (const id of told.shown) {
    if (!state.prompts.has(id)) {
      acts.push({ hide: id });
      shown.delete(id);
    }
  }
  for (const prompt of state.prompts.values()) {
    if (known.has(prompt.id)) continue;
    // Who looks at it needs no telling, now or later.
    if (viewed === prompt.session) {
      known.add(prompt.id);
      continue;
    }
    const due = Math.max(prompt.asked_ms + DWELL_MS, (last.get(prompt.session) ?? -COOLDOWN_MS) + COOLDOWN_MS);
    if (now < due) {
      next = next === null ? due : Math.min(next, due);
      continue;
    }
    acts.push({ show: prompt });
    shown.add(prompt.id);
    known.add(prompt.id);
    last.set(prompt.session, now);
  }
  return [acts, { shown, known, last }, next];
}
