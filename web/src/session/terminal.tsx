// The terminal of a session: the same bytes, in the same size. Keys go to the program, where this device may type.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Screen } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef, useState } from "preact/hooks";
import { LOOK, scale } from "../ui/screen";
import { Keys } from "./keys";
import { TerminalLink } from "./link";

export function Terminal({ base, types }: { base: string; types: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const link = useRef<TerminalLink | null>(null);
  const [status, setStatus] = useState("connecting…");
  const [size, setSize] = useState("");
  const fit = useRef<() => void>(() => undefined);
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    const screen = new Screen({ ...LOOK, disableStdin: !types });
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
