// Cards that were answered say by whom, and go.
import { useEffect } from "preact/hooks";
import type { Gone as Card } from "../store/state";
import { store, useKnown } from "../store/store";

/** Long enough to read a line; what was done here is known already. */
const SHOWN_MS = 6000;
const SHORT_MS = 2500;

const OUTCOMES: Record<string, string> = {
  allow: "Allowed",
  deny: "Denied",
  answer: "Answered",
  terminal: "Answered",
  expired: "Left to the terminal: nobody answered in time",
  gone: "Not asked any more",
  "hub ended": "Left to the terminal",
};

export function Gone() {
  const gone = useKnown((state) => state.gone);
  return (
    <div class="gone" aria-live="polite">
      {[...gone].slice(-2).map(([id, card]) => (
        <One key={id} id={id} card={card} />
      ))}
    </div>
  );
}

function One({ id, card }: { id: number; card: Card }) {
  useEffect(() => {
    const timer = setTimeout(() => store.tell({ type: "seen-gone", id }), card.here ? SHORT_MS : SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id]);
  return (
    <p class={`gone-card ${card.outcome}`} data-prompt={id}>
      {said(card)}
    </p>
  );
}

export function said({ outcome, by, here, prompt }: Card): string {
  const what = OUTCOMES[outcome] ?? outcome;
  const about = prompt.tool ? ` (${prompt.tool}${prompt.project ? `, ${prompt.project}` : ""})` : "";
  if (here) return `${what}${about}`;
  const who = by === "terminal" || outcome === "terminal" ? "at the terminal" : `by ${by}`;
  return ["allow", "deny", "answer", "terminal"].includes(outcome) ? `${what} ${who}${about}` : `${what}${about}`;
}
