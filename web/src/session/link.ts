// The bytes of a terminal over a WebSocket: a picture first, then what is printed, and on after a lost line.
import type { Terminal as Screen } from "@xterm/xterm";
import { keyProtocols } from "../api/key";

const FIRST_WAIT = 300;
const LONGEST_WAIT = 5000;
/** Lines of history to begin with. */
const HISTORY = 2000;
/** The offset before the bytes of a frame. */
const HEAD = 8;
/** The screen looks at the clock between two writes, and lets the page have its turn: in a flood, one that is long keeps it. */
const PIECE = 16 << 10;

interface Told {
  status: (text: string) => void;
  sized: (cols: number, rows: number) => void;
}

interface Message {
  type: string;
  data?: string;
  cols?: number;
  rows?: number;
  offset?: number;
  generation?: number;
  status?: string;
  message?: string;
}

export class TerminalLink {
  private socket: WebSocket | null = null;
  private place: { offset: number; generation: number } | null = null;
  private wait = FIRST_WAIT;
  private timer = 0;
  private stopped = false;

  constructor(
    private readonly base: string,
    private readonly screen: Screen,
    private readonly told: Told,
  ) {}

  start(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const place = this.place ? `offset=${this.place.offset}&generation=${this.place.generation}` : "snapshot=true";
    const query = `subscribe=output,state&encoding=binary&scrollback=${HISTORY}&${place}`;
    const path = this.base === "" ? "/ws" : `${this.base}/ws`;
    const socket = new WebSocket(`${scheme}://${location.host}${path}?${query}`, keyProtocols());
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onmessage = (message) => this.heard(message.data as string | ArrayBuffer);
    socket.onclose = () => {
      if (this.socket === socket) this.lost();
    };
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  type(data: string): void {
    this.send({ type: "input_raw", data: base64(new TextEncoder().encode(data)) });
  }

  press(key: string): void {
    this.send({ type: "keys", keys: [key] });
  }

  resize(cols: number, rows: number): void {
    this.send({ type: "resize", cols, rows });
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private heard(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      const bytes = new Uint8Array(data);
      for (let at = HEAD; at < bytes.length; at += PIECE) this.screen.write(bytes.subarray(at, at + PIECE));
      const offset = Number(new DataView(data).getBigUint64(0)) + bytes.length - HEAD;
      if (this.place) this.place.offset = offset;
      return;
    }
    const message = JSON.parse(data) as Message;
    switch (message.type) {
      case "hello":
        this.wait = FIRST_WAIT;
        this.told.status("live");
        return;
      case "resume":
        this.resumed(message);
        return;
      case "resize":
        // The screen is painted anew in the new size.
        this.again();
        return;
      case "exit":
        this.told.status("the program has ended");
        return;
      case "error":
        this.told.status(message.message ?? "something went wrong");
    }
  }

  private resumed(message: Message): void {
    const { cols = this.screen.cols, rows = this.screen.rows } = message;
    if (message.status !== "ok") {
      this.screen.reset();
      this.screen.resize(cols, rows);
      if (message.data) this.screen.write(bytes(message.data));
    }
    this.place = { offset: message.offset ?? 0, generation: message.generation ?? 0 };
    this.told.sized(cols, rows);
  }

  private again(): void {
    this.place = null;
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    if (!this.stopped) this.start();
  }

  private lost(): void {
    if (this.stopped) return;
    this.told.status("connecting…");
    this.timer = window.setTimeout(() => this.start(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }
}

function bytes(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function base64(data: Uint8Array): string {
  return btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join(""));
}
