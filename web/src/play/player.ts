// Plays a recording on a screen: where it is, how fast, and what the screen has of it yet. It draws nothing itself.
import type { Cast, Size } from "./cast";
import { PAUSE, Track } from "./track";

export interface Screen {
  write(text: string, done?: () => void): void;
  resize(size: Size): void;
  /** In place of the one that is shown, which is done away with. */
  show(): void;
  dispose(): void;
}

/** What a player needs around it. */
export interface Stage {
  /** A screen that nobody sees yet. */
  screen(size: Size): Screen;
  /** Calls when the next picture is due, with the time in milliseconds; what it returns calls it off. */
  frame(due: (now: number) => void): () => void;
}

export const SPEEDS = [0.5, 1, 2, 4, 8, 16] as const;

/** The screen looks at the clock between two writes, and lets the page have its turn. */
const PIECE = 16 << 10;
/** So much is written before somebody is asked again where to go. */
const BATCH = 256 << 10;
/** A screen that is seen takes about so many times as long for the same. */
const SEEN = 6;
/** A page that was hidden, or a machine that was busy, does not make it leap. */
const LONGEST_STEP = 250;
/** Nobody means a place this near to the end, in milliseconds; sliders come as near as they can. */
const LEAST = 1;
/** Who jumps back while it plays means the marker before the one that was just passed. */
const JUST = 1000;

export class Player {
  track: Track;
  position = 0;
  playing = false;
  speed = 1;
  /** The screen does not show yet what was at the position. */
  behind = false;
  private screen: Screen;
  private shown = false;
  /** How many events the screen has. */
  private done = 0;
  /** How much is printed by so many of them. */
  private readonly printed: Float64Array;
  private last: number | null = null;
  private callOff = () => undefined as void;
  private over = false;

  constructor(
    private readonly cast: Cast,
    private readonly stage: Stage,
    private readonly changed: () => void,
  ) {
    this.track = new Track(cast.events, PAUSE);
    this.screen = stage.screen(cast.head.size);
    this.printed = new Float64Array(cast.events.length + 1);
    cast.events.forEach((event, index) => {
      this.printed[index + 1] = (this.printed[index] ?? 0) + (event.is === "output" ? event.text.length : 0);
    });
  }

  /** Shows the beginning. */
  start(): void {
    this.went();
  }

  play(): void {
    if (this.playing) return;
    if (this.position >= this.track.total) this.position = 0;
    this.playing = true;
    this.last = null;
    this.callOff = this.stage.frame(this.tick);
    this.went();
  }

  pause(): void {
    this.playing = false;
    this.callOff();
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  seek(position: number): void {
    const { total } = this.track;
    this.position = total - position < LEAST ? total : Math.max(0, position);
    this.went();
  }

  faster(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  /** Cuts pauses to this, in milliseconds; 0 leaves them. */
  cut(pause: number): void {
    const track = new Track(this.cast.events, pause);
    this.position = this.track.moved(this.position, track);
    this.track = track;
    this.went();
  }

  /** To the marker before or after. Without one, nothing happens. */
  jump(by: -1 | 1): void {
    const from = this.playing && by < 0 ? this.position - JUST * this.speed : this.position;
    const marker = by < 0 ? this.track.before(from) : this.track.after(from);
    if (marker) this.seek(marker.at);
  }

  stop(): void {
    this.over = true;
    this.playing = false;
    this.callOff();
    this.screen.dispose();
  }

  private went(): void {
    void this.fill();
    this.changed();
  }

  private readonly tick = (now: number): void => {
    const step = Math.min(now - (this.last ?? now), LONGEST_STEP) * this.speed;
    this.last = now;
    // What the screen cannot take yet is waited for.
    if (!this.behind) {
      this.position = Math.min(this.position + step, this.track.total);
      this.playing = this.position < this.track.total;
      void this.fill();
    }
    if (this.playing) this.callOff = this.stage.frame(this.tick);
    this.changed();
  };

  /** Brings the screen to the position, which may change meanwhile. */
  private async fill(): Promise<void> {
    if (this.behind) return;
    this.behind = true;
    for (;;) {
      const goal = this.track.upto(this.position);
      if (goal < this.done || this.isFar(goal)) this.again();
      if (goal === this.done) break;
      await this.some(goal);
      if (this.over) return;
    }
    if (!this.shown) this.screen.show();
    this.shown = true;
    this.behind = false;
    this.changed();
  }

  /** It is sooner there from the beginning, out of sight. */
  private isFar(goal: number): boolean {
    const [done, all] = [this.printed[this.done] ?? 0, this.printed[goal] ?? 0];
    return this.shown && all - done > BATCH && (all - done) * SEEN > all;
  }

  /** What was printed cannot be taken back: it is printed once more, and shown when it is there. */
  private again(): void {
    if (!this.shown) this.screen.dispose();
    this.screen = this.stage.screen(this.cast.head.size);
    this.shown = false;
    this.done = 0;
  }

  /** Some of the events until `goal`, or all of them. */
  private async some(goal: number): Promise<void> {
    let text = "";
    while (this.done < goal && text.length < BATCH) {
      const event = this.cast.events[this.done];
      if (event?.is === "resize") {
        // After what was printed in the old size.
        if (text !== "") break;
        this.screen.resize(event.size);
      }
      if (event?.is === "output") text += event.text;
      this.done += 1;
    }
    for (let from = 0; from < text.length && !this.over; from += BATCH) await this.write(text.slice(from, from + BATCH));
  }

  private write(text: string): Promise<void> {
    return new Promise((done) => {
      for (let from = 0; from < text.length; from += PIECE) {
        const last = from + PIECE >= text.length;
        this.screen.write(text.slice(from, from + PIECE), last ? done : undefined);
      }
    });
  }
}
