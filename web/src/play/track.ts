// When each event of a recording is played. Pauses are cut as `coop play` cuts them.
import type { Event } from "./cast";

/** The longest pause, in milliseconds: what `coop play --idle-limit` has. */
export const PAUSE = 2000;

export interface Marker {
  name: string;
  at: number;
}

export class Track {
  readonly markers: readonly Marker[];
  private readonly times: Float64Array;

  /** `pause` is the longest; 0 leaves them as they were. */
  constructor(
    events: readonly Event[],
    readonly pause: number,
  ) {
    this.times = new Float64Array(events.length);
    const markers: Marker[] = [];
    let [before, now] = [0, 0];
    events.forEach((event, index) => {
      const gap = event.at - before;
      // In whole microseconds: a slider does not take all that a sum may be.
      now = Math.round((now + (pause > 0 ? Math.min(gap, pause) : gap)) * 1e3) / 1e3;
      before = event.at;
      this.times[index] = now;
      if (event.is === "marker") markers.push({ name: event.name, at: now });
    });
    this.markers = markers;
  }

  get total(): number {
    return this.times.at(-1) ?? 0;
  }

  /** How many events are there until then. */
  upto(time: number): number {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.times[middle] ?? 0) <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The same place in it, when pauses are others. */
  moved(time: number, to: Track): number {
    const count = this.upto(time);
    const [here, there] = [this.when(count), to.when(count)];
    const next = count < to.times.length ? to.when(count + 1) : there;
    return Math.min(there + time - here, next);
  }

  /** The last marker before a time. */
  before(time: number): Marker | undefined {
    return this.markers.findLast((marker) => marker.at < time);
  }

  after(time: number): Marker | undefined {
    return this.markers.find((marker) => marker.at > time);
  }

  /** When so many of them have been played. */
  private when(count: number): number {
    return count > 0 ? (this.times[count - 1] ?? 0) : 0;
  }
}

/** The same with tenths: what happens by itself happens soon after another. */
export const finely = (ms: number): string => `${spelled(ms)}.${Math.floor(ms / 100) % 10}`;

/** As on a video: 0:05, 12:34, 1:02:03. */
export function spelled(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => `${value}`.padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
