// Frame around the controls of one card: tells the store what is painted where, and takes taps only after the dead time.
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { happened, ready, takes } from "../store/guard";
import { store, useKnown } from "../store/store";

interface Frame {
  card: string;
  dead: boolean;
  /** Looks where the controls are now. */
  look: () => void;
}

const Around = createContext<Frame>({ card: "", dead: true, look: () => undefined });

type Props = { card: string; disabled: boolean; busy: boolean; children: ComponentChildren };

export function Guarded({ card, disabled, busy, children }: Props) {
  const field = useRef<HTMLFieldSetElement>(null);
  const look = () => {
    const el = field.current;
    if (el) store.tell({ type: "painted", card, place: place(el), at: performance.now() });
  };
  // After each paint: what was only decided to be painted is not on the screen yet.
  useEffect(look);
  useEffect(() => {
    const el = field.current;
    const panel = el?.closest(".panel");
    if (!el || !panel) return;
    const watch = new ResizeObserver(look);
    for (const part of [panel, ...panel.children, el]) watch.observe(part);
    const seen = () => {
      if (document.visibilityState === "visible") store.tell({ type: "revealed", at: performance.now() });
    };
    addEventListener("resize", look);
    document.addEventListener("visibilitychange", seen);
    return () => {
      watch.disconnect();
      removeEventListener("resize", look);
      document.removeEventListener("visibilitychange", seen);
      store.tell({ type: "unpainted", card, at: performance.now() });
    };
  }, [card]);
  const dead = useDead(card);
  return (
    <fieldset ref={field} disabled={disabled} aria-busy={busy} onKeyDown={once}>
      <legend class="hidden">Answer</legend>
      <Around.Provider value={{ card, dead, look }}>{children}</Around.Provider>
    </fieldset>
  );
}

type Answer = {
  /** Called with the instant of a tap that counts. */
  give: (at: number) => void;
  class: string;
  disabled?: boolean;
  pressed?: boolean;
  children: ComponentChildren;
};

/** The only kind of button on a card. In the dead time it is grey, in its place, and does nothing. */
export function Answer({ give, class: style, disabled, pressed, children }: Answer) {
  const { card, dead, look } = useContext(Around);
  const tapped = (event: MouseEvent) => {
    look();
    const at = happened(event.timeStamp, performance.now());
    if (takes(store.now.guard, card, at)) give(at);
  };
  return (
    <button type="button" class={style} disabled={disabled} aria-disabled={dead} aria-pressed={pressed} onClick={tapped}>
      {children}
    </button>
  );
}

/** Whether the dead time of a card lasts; the component is drawn again when it ends. */
function useDead(card: string): boolean {
  const guard = useKnown((state) => state.guard);
  const [drawn, draw] = useState(0);
  const now = performance.now();
  const dead = !takes(guard, card, now);
  const wait = ready(guard) - now;
  useEffect(() => {
    if (!dead || !(wait > 0)) return;
    const timer = setTimeout(() => draw((count) => count + 1), wait + 1);
    return () => clearTimeout(timer);
  }, [dead, guard, drawn]);
  return dead;
}

/** A key that is held down presses a button once. */
function once(event: KeyboardEvent): void {
  if (event.repeat && event.target instanceof HTMLButtonElement) event.preventDefault();
}

/** Where the buttons are on the screen, but for how far the panel is scrolled, which the finger does itself. */
function place(field: HTMLElement): string {
  const scrolled = field.closest(".panel")?.scrollTop ?? 0;
  const corners = [...field.querySelectorAll("button[aria-disabled]")].map((button) => {
    const { left, top } = button.getBoundingClientRect();
    return `${Math.round(left)},${Math.round(top + scrolled)}`;
  });
  return corners.join(" ");
}
