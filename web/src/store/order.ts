// Who comes first: who needs a person, then who has waited longest.
import type { Prompt, Session } from "../api/types";
import type { State } from "./state";

const ATTENTION = ["asks", "failed", "done", "parked", "rests", "works", "over"];

export function sorted(state: State): Session[] {
  const rank = (session: Session) => {
    const place = ATTENTION.indexOf(session.attention);
    return place < 0 ? ATTENTION.length : place;
  };
  const age = (session: Session) => (session.attention === "over" ? -session.since_ms : session.since_ms);
  return [...state.sessions.values()].sort((a, b) => rank(a) - rank(b) || age(a) - age(b) || a.id - b.id);
}

export function asked(state: State, session?: number): Prompt[] {
  const all = [...state.prompts.values()].filter((prompt) => session === undefined || prompt.session === session);
  return all.sort((a, b) => a.asked_ms - b.asked_ms || a.id - b.id);
}

/** Everything that is asked, that of the session on the page first. */
export function queue(state: State, session: number | undefined): Prompt[] {
  const all = asked(state);
  const here = (prompt: Prompt) => prompt.session === session;
  return [...all.filter(here), ...all.filter((prompt) => !here(prompt))];
}

/** The card in front: the one that was there, as long as it is asked, else the first of the queue. */
export function front(queue: Prompt[], last: number | null): Prompt | undefined {
  return queue.find((prompt) => prompt.id === last) ?? queue[0];
}
