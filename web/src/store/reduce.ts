// The one function that changes what the app knows. No clock, no network.
import type { Prompt, Session, Settled } from "../api/types";
import { type Guard, face, painted, revealed, takes, unpaint } from "./guard";
import type { Fact, Gone, HubEvent, State } from "./state";

export function reduce(state: State, fact: Fact): State {
  switch (fact.type) {
    case "about":
      return { ...state, about: fact.about };
    case "link":
      return { ...state, link: fact.link };
    case "board":
      return board(state, fact.sessions, fact.prompts);
    case "event":
      return event(state, fact.event);
    case "answering":
      return answering(state, fact.id, fact.at);
    case "answering-alone":
      return takes(state.guard, fact.card, fact.at) ? guarded(state, { ...state.guard, answered: fact.at }) : state;
    case "painted":
      return guarded(state, painted(state.guard, fact.card, fact.place, fact.at));
    case "unpainted":
      return guarded(state, unpaint(state.guard, fact.card, fact.at));
    case "revealed":
      return guarded(state, revealed(state.guard, fact.at));
    case "answer-failed":
      return failed(state, fact.id, fact.why, fact.over);
    case "seen-gone":
      return { ...state, gone: drop(state.gone, fact.id) };
  }
}

/** An answer in the dead time, or of a card that is not painted as it is now, changes nothing. */
function answering(state: State, id: number, at: number): State {
  const prompt = state.prompts.get(id);
  if (!prompt || state.sending.get(id)?.is === "sending" || !takes(state.guard, face(prompt), at)) return state;
  return { ...state, sending: put(state.sending, id, { is: "sending" }), guard: { ...state.guard, answered: at } };
}

function guarded(state: State, guard: Guard): State {
  return guard === state.guard ? state : { ...state, guard };
}

/** The whole board: what is not on it any more was settled while nobody listened. */
function board(state: State, sessions: Session[], prompts: Prompt[]): State {
  const waiting = new Map(prompts.map((prompt) => [prompt.id, prompt]));
  const sending = new Map([...state.sending].filter(([id]) => waiting.has(id)));
  return {
    ...state,
    loaded: true,
    sessions: new Map(sessions.map((session) => [session.id, session])),
    prompts: waiting,
    sending,
  };
}

function event(state: State, event: HubEvent): State {
  switch (event.type) {
    case "session":
    case "state_change":
      return { ...state, sessions: put(state.sessions, event.session.id, event.session) };
    case "session_forgotten":
      return { ...state, sessions: drop(state.sessions, Number(event.id)) };
    case "pty_permission":
      return { ...state, prompts: put(state.prompts, event.prompt.id, event.prompt) };
    case "pty_permission_resolved":
      return settled(state, event.prompt);
    case "rules":
      return { ...state, rules: state.rules + 1 };
    default:
      // A newer hub tells of more.
      return state;
  }
}

function settled(state: State, over: Settled): State {
  const prompt = state.prompts.get(over.id);
  const here = state.sending.get(over.id)?.is === "sending";
  const next = { ...state, prompts: drop(state.prompts, over.id), sending: drop(state.sending, over.id) };
  if (!prompt) return next;
  const gone: Gone = { prompt, outcome: over.outcome, by: over.by, here };
  return { ...next, gone: put(state.gone, over.id, gone) };
}

/** An answer that came too late is settled by its event; any other can be given again. */
function failed(state: State, id: number, why: string, over: boolean): State {
  if (!state.prompts.has(id)) return { ...state, sending: drop(state.sending, id) };
  if (over) return { ...state, sending: drop(state.sending, id) };
  return { ...state, sending: put(state.sending, id, { is: "failed", why }) };
}

function put<V>(map: ReadonlyMap<number, V>, id: number, value: V): ReadonlyMap<number, V> {
  return new Map(map).set(id, value);
}

function drop<V>(map: ReadonlyMap<number, V>, id: number): ReadonlyMap<number, V> {
  if (!map.has(id)) return map;
  const next = new Map(map);
  next.delete(id);
  return next;
}
