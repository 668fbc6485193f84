// The screens that a recording is played on. What is printed on them asks for nothing and answers nothing.
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { LOOK, scale } from "../ui/screen";
import type { Size } from "./cast";
import type { Screen, Stage } from "./player";

export class Box implements Stage {
  private shown: Terminal | null = null;
  private readonly watch: ResizeObserver;

  constructor(private readonly el: HTMLElement) {
    this.watch = new ResizeObserver(() => this.shown && scale(el, this.shown, true));
    this.watch.observe(el);
  }

  screen(size: Size): Screen {
    // Nobody listens to it: its replies to what a program asks of its terminal go nowhere.
    const terminal = new Terminal({ ...LOOK, ...size, disableStdin: true });
    return {
      write: (text, done) => terminal.write(text, done),
      resize: ({ cols, rows }) => {
        terminal.resize(cols, rows);
        if (terminal === this.shown) scale(this.el, terminal, true);
      },
      show: () => this.show(terminal),
      dispose: () => terminal.dispose(),
    };
  }

  frame(due: (now: number) => void): () => void {
    const id = requestAnimationFrame(due);
    return () => cancelAnimationFrame(id);
  }

  close(): void {
    this.watch.disconnect();
    this.shown?.dispose();
  }

  private show(terminal: Terminal): void {
    this.shown?.dispose();
    this.el.replaceChildren();
    this.shown = terminal;
    scale(this.el, terminal, true);
    terminal.open(this.el);
    // Keys are for the player.
    terminal.attachCustomKeyEventHandler(() => false);
    if (terminal.textarea) terminal.textarea.tabIndex = -1;
  }
}
