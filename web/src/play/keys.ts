// Keys of a player: space plays and pauses, arrows go five seconds back and on.
import type { Player } from "./player";

const STEP = 5000;

/** What has a use of its own for the space key, and for arrows. */
const TAKES_SPACE = "button, summary, select, textarea, input:not([type=range]), [contenteditable]";
const TAKES_ARROWS = "select, textarea, input:not([type=range]), [contenteditable]";

export function press(event: KeyboardEvent, player: Player, root: HTMLElement | null): void {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { target } = event;
  if (!(target instanceof HTMLElement) || !concerns(target, root)) return;
  const does = meant(event.key, target, player);
  if (!does) return;
  event.preventDefault();
  does();
}

/** Keys that are pressed in other parts of the page are theirs. */
function concerns(target: HTMLElement, root: HTMLElement | null): boolean {
  return target === document.body || target.tagName === "A" || root?.contains(target) === true;
}

function meant(key: string, target: HTMLElement, player: Player): (() => void) | null {
  const slider = target.matches("input[type=range]");
  switch (key) {
    case " ":
      return target.closest(TAKES_SPACE) ? null : () => player.toggle();
    case "ArrowLeft":
    case "ArrowRight":
      if (target.closest(TAKES_ARROWS) || target.scrollWidth > target.clientWidth + 1) return null;
      return () => player.seek(player.position + (key === "ArrowLeft" ? -STEP : STEP));
    case "ArrowDown":
    case "ArrowUp":
      return slider ? () => player.seek(player.position + (key === "ArrowDown" ? -STEP : STEP)) : null;
    default:
      return null;
  }
}
