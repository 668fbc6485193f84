// How a terminal looks, wherever one is shown.
import type { ITerminalOptions, Terminal } from "@xterm/xterm";

const DARK = {
  background: "#101216",
  foreground: "#e6e4de",
  cursor: "#f2b33d",
  red: "#ff7a70",
  blue: "#7fb2f5",
  magenta: "#d79bf0",
  brightBlack: "#8b919b",
};
/** Letters between these sizes; beyond, one scrolls. */
const SMALLEST = 7;
const LARGEST = 15;
/** For the sake of the height they are not made smaller than this. */
const READABLE = 10;

export const LOOK: ITerminalOptions = {
  theme: DARK,
  fontFamily: "ui-monospace, Menlo, 'DejaVu Sans Mono', monospace",
  scrollback: 5000,
  allowProposedApi: false,
};

/** As large as fits beside each other, and with `whole` also below each other. */
export function scale(el: HTMLElement, screen: Terminal, whole = false): void {
  const room = el.clientWidth - 24;
  if (room <= 0) return;
  // A letter of these fonts is about six tenths as wide as high.
  const best = Math.floor((room / screen.cols / 0.602) * 2) / 2;
  const high = whole ? Math.max(READABLE, Math.floor(((el.clientHeight - 16) / screen.rows / 1.2) * 2) / 2) : LARGEST;
  const size = Math.min(LARGEST, high, Math.max(SMALLEST, best));
  if (screen.options.fontSize !== size) screen.options.fontSize = size;
}
