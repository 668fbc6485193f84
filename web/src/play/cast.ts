// asciicast, the format of asciinema, in its versions 2 and 3: text in, events out. It takes what crates/terminal/src/cast.rs
// takes, and also a last line that was cut off, as whoever died while writing leaves it.

export interface Size {
  cols: number;
  rows: number;
}

/** What the first line says. */
export interface Head {
  version: 2 | 3;
  size: Size;
  /** When it began, in seconds since 1970. */
  timestamp: number | null;
  title: string | null;
}

export type Event =
  | { at: number; is: "output"; text: string }
  | { at: number; is: "input"; text: string }
  | { at: number; is: "resize"; size: Size }
  /** A place to jump to. */
  | { at: number; is: "marker"; name: string }
  | { at: number; is: "exit"; code: number }
  /** Of a kind that is not known here. */
  | { at: number; is: "other" };

/** A recording. Times are milliseconds from its beginning, and never go back. */
export interface Cast {
  head: Head;
  events: Event[];
  /** Its last line is not whole. */
  cut: boolean;
}

export class CastError extends Error {}

const COLS = [2, 1000] as const;
const ROWS = [1, 1000] as const;
/** The longest line that is read: a recording of ours has none near it. */
const LONGEST_LINE = 64 << 20;

/** Takes the text of a recording in parts, and knows it all at the end. */
export class Reader {
  private head: Head | null = null;
  private readonly events: Event[] = [];
  private line = 0;
  private last = 0;
  /** The beginning of a line that has not come whole yet. */
  private rest: string[] = [];
  private restLength = 0;

  add(text: string): void {
    let from = 0;
    for (;;) {
      const end = text.indexOf("\n", from);
      if (end < 0) break;
      this.read(this.rest.join("") + text.slice(from, end), true);
      this.rest = [];
      this.restLength = 0;
      from = end + 1;
    }
    if (from === text.length) return;
    this.rest.push(text.slice(from));
    this.restLength += text.length - from;
    // Whatever has no lines is found out before all of it was read.
    if (this.line === 0 && !/^\s*(\{|$)/.test(this.rest[0] ?? "")) throw bad(1, "it is not JSON");
    if (this.restLength > LONGEST_LINE) throw bad(this.line + 1, "it is too long");
  }

  end(): Cast {
    const whole = this.read(this.rest.join(""), false);
    if (!this.head) throw new CastError("it is empty");
    return { head: this.head, events: this.events, cut: !whole };
  }

  /** False for one that was cut off. */
  private read(text: string, ended: boolean): boolean {
    this.line += 1;
    const line = text.trim();
    if (this.line === 1) {
      if (line !== "") this.head = head(line);
      else if (ended) throw new CastError("it is empty");
      return true;
    }
    if (line === "" || line.startsWith("#")) return true;
    if (line.length > LONGEST_LINE) throw bad(this.line, "it is too long");
    const value = json(line);
    if (value === undefined) {
      if (!ended) return false;
      throw bad(this.line, "it is not JSON");
    }
    const event = this.event(value);
    this.last = event.at;
    this.events.push(event);
    return true;
  }

  private event(value: unknown): Event {
    const wrong = (why: string) => bad(this.line, why);
    if (!Array.isArray(value) || value.length !== 3) throw wrong("it is no event");
    const [time, kind, told] = value as unknown[];
    if (typeof time !== "number" || typeof kind !== "string") throw wrong("it is no event");
    // As whole microseconds, which is what is written: so no error adds up.
    const since = Math.round(time * 1e6) / 1e3;
    const at = this.head?.version === 3 ? Math.round((this.last + since) * 1e3) / 1e3 : Math.max(since, this.last);
    if (time < 0 || at * 1e3 > Number.MAX_SAFE_INTEGER) throw wrong("its time is none");
    const data = typeof told === "string" ? told : JSON.stringify(told);
    switch (kind) {
      case "o":
        return { at, is: "output", text: data };
      case "i":
        return { at, is: "input", text: data };
      case "m":
        return { at, is: "marker", name: data };
      case "r": {
        const size = sized(data);
        if (!size) throw wrong("its size is none");
        return { at, is: "resize", size };
      }
      case "x":
        // `| 0` is a number of 32 bits.
        if (!/^[+-]?\d+$/.test(data) || Number(data) !== (Number(data) | 0)) throw wrong("its code is none");
        return { at, is: "exit", code: Number(data) };
      default:
        return { at, is: "other" };
    }
  }
}

/** All of a text at once. */
export function parse(text: string): Cast {
  const reader = new Reader();
  reader.add(text);
  return reader.end();
}

function head(line: string): Head {
  const value = json(line);
  if (value === undefined) throw bad(1, "it is not JSON");
  const said = object(value);
  const { version } = said;
  if (version === undefined || version === null) throw bad(1, "it has no version");
  if (version !== 2 && version !== 3) {
    throw new CastError(`it is of version ${JSON.stringify(version)}, and only 2 and 3 can be read`);
  }
  const term = object(said["term"]);
  const [cols, rows] = version === 2 ? [said["width"], said["height"]] : [term["cols"], term["rows"]];
  if (!isCount(cols) || !isCount(rows)) throw bad(1, "it has no size");
  const { timestamp, title } = said;
  return {
    version,
    size: clamped(cols, rows),
    timestamp: Number.isSafeInteger(timestamp) && Number(timestamp) >= 0 ? Number(timestamp) : null,
    title: typeof title === "string" ? title : null,
  };
}

function sized(text: string): Size | null {
  const [, cols, rows] = /^\+?(\d+)x\+?(\d+)$/.exec(text) ?? [];
  return isCount(Number(cols)) && isCount(Number(rows)) ? clamped(Number(cols), Number(rows)) : null;
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 0xffff;

function clamped(cols: number, rows: number): Size {
  const within = (value: number, [least, most]: readonly [number, number]) => Math.min(most, Math.max(least, value));
  return { cols: within(cols, COLS), rows: within(rows, ROWS) };
}

/** Nothing for what is no JSON. */
function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function bad(line: number, why: string): CastError {
  return new CastError(`line ${line} is no asciicast: ${why}`);
}
