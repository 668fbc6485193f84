// The stream of events: connects, goes on where it was, and says when it cannot.
import { get } from "../api/http";
import { keyProtocols } from "../api/key";
import type { About, Prompt, Session } from "../api/types";
import type { Store } from "./store";
import type { HubEvent } from "./state";

const FIRST_WAIT = 300;
const LONGEST_WAIT = 8_000;
/** A line that is dead says nothing: it is asked, and given up if it does not answer. */
const ASK_EVERY = 20_000;
const ANSWER_WITHIN = 8_000;
const UNAUTHORIZED = 4401;

type Message = { type?: string; id?: string | number; generation?: number; seq?: number; resume?: string };

export class Live {
  private socket: WebSocket | null = null;
  private last: string | null = null;
  /** Where events are now, as the hub said when it was connected to. */
  private hello = "";
  /** Events that came while the board was on its way. */
  private held: HubEvent[] | null = null;
  private wait = FIRST_WAIT;
  private timers: { again?: number; ask?: number; dead?: number } = {};
  private stopped = false;

  constructor(private readonly store: Store) {}

  start(): void {
    addEventListener("online", this.hurry);
    document.addEventListener("visibilitychange", this.looked);
    this.connect();
  }

  stop(): void {
    this.stopped = true;
    removeEventListener("online", this.hurry);
    document.removeEventListener("visibilitychange", this.looked);
    clearTimeout(this.timers.again);
    this.drop();
  }

  private readonly hurry = () => {
    if (this.socket || this.stopped) return;
    this.wait = FIRST_WAIT;
    clearTimeout(this.timers.again);
    this.connect();
  };

  private readonly looked = () => {
    if (document.visibilityState !== "visible") return;
    if (this.socket?.readyState === WebSocket.OPEN) this.ask();
    else this.hurry();
  };

  private connect(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const from = this.last ? `?last_event_id=${encodeURIComponent(this.last)}` : "";
    const socket = new WebSocket(`${scheme}://${location.host}/ws${from}`, keyProtocols());
    this.socket = socket;
    socket.onmessage = (message) => {
      if (this.socket === socket) this.heard(JSON.parse(String(message.data)) as Message);
    };
    socket.onclose = (close) => {
      if (this.socket === socket) this.lost(close.code);
    };
    this.timers.ask = window.setInterval(() => this.ask(), ASK_EVERY);
    this.expect();
  }

  private heard(message: Message): void {
    clearTimeout(this.timers.dead);
    switch (message.type) {
      case "hello":
        this.wait = FIRST_WAIT;
        this.hello = `${message.generation}:${message.seq}`;
        if (this.last === null) {
          this.last = this.hello;
          void this.load();
        }
        return;
      case "resume":
        if (message.resume === "ok") this.store.tell({ type: "link", link: { is: "live" } });
        else {
          this.last = this.hello;
          void this.load();
        }
        return;
      case "gap":
        void this.load();
        return;
      case undefined:
        return;
      default:
        if (typeof message.id === "string" && message.id.includes(":")) this.last = message.id;
        this.event(message as unknown as HubEvent);
    }
  }

  private event(event: HubEvent): void {
    if (this.held) this.held.push(event);
    else this.store.tell({ type: "event", event });
  }

  /** The whole board. What happens meanwhile is told after it: events have all of what they are about. */
  private async load(): Promise<void> {
    const socket = this.socket;
    this.held ??= [];
    try {
      const [{ sessions }, { prompts }] = await Promise.all([
        get<{ sessions: Session[] }>("/api/v1/sessions?all=true"),
        get<{ prompts: Prompt[] }>("/api/v1/prompts"),
      ]);
      if (this.socket !== socket) return;
      this.store.tell({ type: "board", sessions, prompts });
      const held = this.held ?? [];
      this.held = null;
      for (const event of held) this.store.tell({ type: "event", event });
      this.store.tell({ type: "link", link: { is: "live" } });
    } catch {
      // Without a board there is nothing to go on from.
      if (this.socket !== socket) return;
      this.last = null;
      this.lost(0);
    }
  }

  private lost(code: number): void {
    this.drop();
    if (this.stopped) return;
    if (code === UNAUTHORIZED) {
      void this.refused();
      return;
    }
    const link = this.store.now.link;
    if (link.is !== "lost") this.store.tell({ type: "link", link: { is: "lost", since: Date.now() } });
    this.timers.again = window.setTimeout(() => this.connect(), this.wait * (0.75 + Math.random() / 2));
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
  }

  private async refused(): Promise<void> {
    this.store.tell({ type: "link", link: { is: "refused" } });
    try {
      this.store.tell({ type: "about", about: await get<About>("/app.json") });
    } catch {
      this.timers.again = window.setTimeout(() => this.connect(), LONGEST_WAIT);
    }
  }

  private ask(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    // Nobody has such a method, and everybody who is there says so.
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id: "there", method: "there?" }));
    this.expect();
  }

  private expect(): void {
    clearTimeout(this.timers.dead);
    this.timers.dead = window.setTimeout(() => this.lost(0), ANSWER_WITHIN);
  }

  private drop(): void {
    clearInterval(this.timers.ask);
    clearTimeout(this.timers.dead);
    this.held = null;
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }
}
