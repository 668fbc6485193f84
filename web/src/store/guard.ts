// Dead time of answers: a card that has just appeared, changed or moved cannot be answered yet, so that a tap meant for
// the card before it changes nothing. Pure: instants come in, in milliseconds since the page was opened.

/** Time between the paint of a card, or the last answer, and the first tap that counts. */
export const DEAD_MS = 700;
/** Maximum age of an input event. An older timestamp belongs to another clock, as in some browsers after a suspend. */
const OLDEST_MS = 30_000;

export interface Guard {
  /** Content of the card on the page, or null when no card is painted. */
  card: string | null;
  /** Positions of the controls of the card. */
  place: string;
  /** Instant since which this card, or none, is painted at this place. */
  since: number;
  /** Instant of the last answer that was sent from this page. */
  answered: number;
}

export const unpainted: Guard = { card: null, place: "", since: -Infinity, answered: -Infinity };

/** Identity of a card: all of its content. A card that is replaced under the same number is another card. */
export function face(prompt: unknown): string {
  return JSON.stringify(prompt);
}

/** Records that a card is painted. The dead time begins anew when the content or a position differs. */
export function painted(guard: Guard, card: string, place: string, at: number): Guard {
  return guard.card === card && guard.place === place ? guard : { ...guard, card, place, since: at };
}

/** Records that a card has left the page. Controls that were below it are under the finger now. */
export function unpaint(guard: Guard, card: string, at: number): Guard {
  return guard.card === card ? { ...guard, card: null, place: "", since: at } : guard;
}

/** Records that the page has become visible, with whatever was painted while it was hidden. */
export function revealed(guard: Guard, at: number): Guard {
  return { ...guard, since: at };
}

/** Instant from which a tap on the page counts. */
export function ready(guard: Guard): number {
  return Math.max(guard.since, guard.answered) + DEAD_MS;
}

/** Whether a tap at `at` answers this card. */
export function takes(guard: Guard, card: string, at: number): boolean {
  return guard.card === card && at >= ready(guard);
}

/** Instant of an input event: when the finger was there, which is before the page had time to handle it. */
export function happened(timeStamp: number, now: number): number {
  return timeStamp > 0 && timeStamp <= now && now - timeStamp < OLDEST_MS ? timeStamp : now;
}
