// What the app knows. It is changed by `reduce` alone.
import type { About, Prompt, Session, Settled } from "../api/types";
import { type Guard, unpainted } from "./guard";

/** Whether what is shown is what is true now. */
export type Link =
  | { is: "connecting" }
  | { is: "live" }
  | { is: "lost"; since: number }
  | { is: "refused" };

/** What became of an answer that was given here. */
export type Sending = { is: "sending" } | { is: "failed"; why: string };

/** A card that was answered: it says by whom, and goes. */
export interface Gone {
  prompt: Prompt;
  outcome: string;
  by: string;
  here: boolean;
}

export interface State {
  about: About | null;
  link: Link;
  /** False until the first board has come. */
  loaded: boolean;
  sessions: ReadonlyMap<number, Session>;
  prompts: ReadonlyMap<number, Prompt>;
  sending: ReadonlyMap<number, Sending>;
  gone: ReadonlyMap<number, Gone>;
  /** Decides whether a tap answers what is painted. */
  guard: Guard;
  /** Counts changes of the rules, for those who show them. */
  rules: number;
}

export const initial: State = {
  about: null,
  link: { is: "connecting" },
  loaded: false,
  sessions: new Map(),
  prompts: new Map(),
  sending: new Map(),
  gone: new Map(),
  guard: unpainted,
  rules: 0,
};

/** What can happen. */
export type Fact =
  | { type: "about"; about: About }
  | { type: "link"; link: Link }
  | { type: "board"; sessions: Session[]; prompts: Prompt[] }
  | { type: "event"; event: HubEvent }
  | { type: "painted"; card: string; place: string; at: number }
  | { type: "unpainted"; card: string; at: number }
  | { type: "revealed"; at: number }
  | { type: "answering"; id: number; at: number }
  | { type: "answering-alone"; card: string; at: number }
  | { type: "answer-failed"; id: number; why: string; over: boolean }
  | { type: "seen-gone"; id: number };

/** What the hub tells, as far as the app cares. */
export type HubEvent =
  | { type: "session"; session: Session }
  | { type: "state_change"; session: Session; prev: string; next: string; reason: string }
  | { type: "session_forgotten"; id: number | string }
  | { type: "pty_permission"; prompt: Prompt }
  | { type: "pty_permission_resolved"; prompt: Settled }
  | { type: "rules" };
