// The terminal of a session: the same bytes, in the same size. Keys go to the program, where this device may type.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Screen } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { Keys } from "./keys";
import { TerminalLink } from "./link";

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

export function Terminal({ base, types }: { base: string; types: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const link = useRef<TerminalLink | null>(null);
  const [status, setStatus] = useState("connecting…");
  const [size, setSize] = useState("");
  const fit = useRef<() => void>(() => undefined);
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    const screen = new Screen({ theme: DARK, fontFamily: "ui-monospace, Menlo, 'DejaVu Sans Mono', monospace", scrollback: 5000, disableStdin: !types, allowProposedApi: false });
    const fitted = new FitAddon();
    screen.loadAddon(fitted);
    screen.open(el);
    const own = new TerminalLink(base, screen, { status: setStatus, sized: (cols, rows) => {
      setSize(`${cols} × ${rows}`);
      scale(el, screen);
    } });
    link.current = own;
    fit.current = () => {
      screen.options.fontSize = 13;
      const wanted = fitted.proposeDimensions();
      if (wanted && wanted.cols > 1) own.resize(wanted.cols, wanted.rows);
    };
    if (types) screen.onData((data) => own.type(data));
    own.start();
    const watch = new ResizeObserver(() => scale(el, screen));
    watch.observe(el);
    return () => {
      watch.disconnect();
      own.stop();
      screen.dispose();
    };
  }, [base, types]);
  return (
    <div class="terminal">
      <div class="terminal-head">
        <span class="dim" role="status">
          {status} {size}
          {!types && " · this device may look and not type"}
        </span>
        {types && (
          <button type="button" class="plain" onClick={() => fit.current()}>
            Fit to this screen
          </button>
        )}
      </div>
      <div class="screen" ref={box} />
      {types && <Keys press={(key) => link.current?.press(key)} />}
    </div>
  );
}

/** As large as fits beside each other. */
function scale(el: HTMLElement, screen: Screen): void {
  const room = el.clientWidth - 24;
  if (room <= 0) return;
  // A letter of these fonts is about six tenths as wide as high.
  const best = Math.floor((room / screen.cols / 0.602) * 2) / 2;
  const size = Math.min(LARGEST, Math.max(SMALLEST, best));
  if (screen.options.fontSize !== size) screen.options.fontSize = size;
}
