// Where a recording is, and what is on the screen then.
import { describe, expect, it } from "vitest";
import { type Event, parse } from "./cast";
import { Player, type Screen, type Stage } from "./player";
import { Track, finely, spelled } from "./track";

const HEAD = '{"version":2,"width":80,"height":24}\n';
const CAST = parse(
  `${HEAD}[0,"o","a"]\n[1,"m","one"]\n[1,"o","b"]\n[1.5,"r","100x30"]\n[60,"o","c"]\n[60.5,"m","two"]\n[61,"o","d"]\n`,
);
/** When each is, with pauses of two seconds: 0, 1000, 1000, 1500, 3500, 4000, 4500. */
const cut = () => new Track(CAST.events, 2000);
const whole = () => new Track(CAST.events, 0);

describe("when what is played", () => {
  it.each([
    [cut(), -1, 0],
    [cut(), 0, 1],
    [cut(), 999, 1],
    [cut(), 1000, 3],
    [cut(), 3499, 4],
    [cut(), 3500, 5],
    [cut(), 9999, 7],
    [whole(), 3500, 4],
    [whole(), 60_000, 5],
  ])("%o at %d", (track, time, count) => expect(track.upto(time)).toBe(count));

  it("ends with the last, also where there is none", () => {
    expect([cut().total, whole().total, new Track([], 2000).total]).toEqual([4500, 61_000, 0]);
  });

  it.each([
    [1200, 1200],
    [3000, 3000],
    [3500, 60_000],
    [4200, 60_700],
    [4500, 61_000],
  ])("is the same place with other pauses: %d and %d", (short, long) => {
    expect(cut().moved(short, whole())).toBe(long);
    expect(whole().moved(long, cut())).toBe(short);
  });

  it("is a number that a slider takes", () => {
    const events = Array.from({ length: 2000 }, (_, index): Event => ({ at: Math.round(index * 1234.567) / 1e3, is: "other" }));
    for (const pause of [0, 1.234]) expect(`${new Track(events, pause).total}`).toMatch(/^\d+(\.\d{1,3})?$/);
  });

  it("a place in a pause that is cut is at its end", () => expect(whole().moved(40_000, cut())).toBe(3500));

  it("has markers", () => {
    expect(cut().markers).toEqual([{ name: "one", at: 1000 }, { name: "two", at: 4000 }]);
    expect([cut().before(1000)?.name, cut().before(1001)?.name, cut().after(1000)?.name, cut().after(4000)]).toEqual([undefined, "one", "two", undefined]);
  });

  it.each([
    [0, "0:00"],
    [59_999, "0:59"],
    [754_000, "12:34"],
    [3_723_000, "1:02:03"],
  ])("%d is %s", (ms, text) => expect(spelled(ms)).toBe(text));

  it("to the tenth", () => expect([0, 1290, 59_999].map(finely)).toEqual(["0:00.0", "0:01.2", "0:59.9"]));
});

/** Screens of which one knows what they have, that take what is written when they are told to, and a clock that is set by hand. */
class Bench implements Stage {
  readonly all: string[] = [];
  seen = "";
  shows = 0;
  private waits: (() => void)[] = [];
  private due: ((now: number) => void) | null = null;
  private now = 0;

  screen(): Screen {
    const index = this.all.push("") - 1;
    const has = (more: string) => (this.all[index] += more);
    return {
      write: (text, done) => {
        has(text);
        if (done) this.waits.push(done);
      },
      resize: ({ cols, rows }) => void has(`<${cols}x${rows}>`),
      show: () => {
        this.seen = `${index}`;
        this.shows += 1;
      },
      dispose: () => void has("†"),
    };
  }

  frame(due: (now: number) => void): () => void {
    this.due = due;
    return () => void (this.due = null);
  }

  /** Until everything that was written is on the screen. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 100; turn++) {
      for (const done of this.waits.splice(0)) done();
      await Promise.resolve();
    }
  }

  async pass(ms: number, step = 100): Promise<void> {
    for (let passed = 0; passed <= ms; passed += step) {
      this.turn(step);
      await this.settle();
    }
  }

  /** The time of one picture, in which the screen takes nothing. */
  turn(ms: number): void {
    const due = this.due;
    this.due = null;
    due?.(this.now);
    this.now += ms;
  }

  get text(): string {
    return this.all[Number(this.seen)] ?? "";
  }
}

async function begun(cast = CAST): Promise<[Player, Bench]> {
  const bench = new Bench();
  const player = new Player(cast, bench, () => undefined);
  player.start();
  await bench.settle();
  return [player, bench];
}

describe("a player", () => {
  it("begins with what is there at the beginning, and stands still", async () => {
    const [player, bench] = await begun();
    await bench.pass(1000);
    expect([bench.text, player.position, player.playing]).toEqual(["a", 0, false]);
  });

  it.each([
    [1, 1500, "ab<100x30>"],
    [2, 700, "ab"],
    [16, 300, "ab<100x30>cd"],
  ])("plays, %d times as fast, for %d ms", async (speed, ms, text) => {
    const [player, bench] = await begun();
    player.faster(speed);
    player.play();
    await bench.pass(ms);
    expect(bench.text).toBe(text);
  });

  it("stops at the end, and begins anew from there", async () => {
    const [player, bench] = await begun();
    player.play();
    await bench.pass(6000);
    expect([bench.text, player.position, player.playing]).toEqual(["ab<100x30>cd", 4500, false]);
    player.play();
    await bench.settle();
    expect([bench.text, player.position, player.playing]).toEqual(["a", 0, true]);
  });

  it("pauses where it is", async () => {
    const [player, bench] = await begun();
    player.play();
    await bench.pass(1200);
    player.toggle();
    const { position } = player;
    await bench.pass(3000);
    expect([bench.text, player.position]).toEqual(["ab", position]);
  });

  it("goes forward on the same screen, and back on one that is shown when it is there", async () => {
    const [player, bench] = await begun();
    player.seek(99_999);
    await bench.settle();
    expect([bench.all.length, bench.text, player.position]).toEqual([1, "ab<100x30>cd", 4500]);
    player.seek(1000);
    expect([bench.seen, player.behind]).toEqual(["0", true]);
    await bench.settle();
    expect([bench.seen, bench.text, player.behind]).toEqual(["1", "ab", false]);
    player.seek(-1);
    await bench.settle();
    expect([bench.text, player.position]).toEqual(["a", 0]);
  });

  it("goes far forward out of sight, where that is sooner", async () => {
    const printed = (at: number, length: number): Event => ({ at, is: "output", text: "x".repeat(length) });
    const events = [printed(0, 1), printed(1000, 3_000_000), printed(2000, 300_000), printed(3000, 900_000)];
    const [player, bench] = await begun({ ...CAST, events });
    const screens: [number, number][] = [];
    for (const at of [1000, 2000, 3000]) {
      player.seek(at);
      await bench.settle();
      screens.push([bench.all.length, bench.text.length]);
    }
    expect(screens).toEqual([[2, 3_000_001], [2, 3_300_001], [3, 4_200_001]]);
  });

  it("is at the end where a slider is nearly there", async () => {
    const [player, bench] = await begun();
    player.seek(4499.9);
    await bench.settle();
    expect([bench.text, player.position]).toEqual(["ab<100x30>cd", 4500]);
  });

  it("changes its mind on the way", async () => {
    const [player, bench] = await begun();
    player.seek(4500);
    player.seek(1000);
    await bench.settle();
    expect(bench.text).toBe("ab");
    player.seek(0);
    player.seek(4500);
    await bench.settle();
    expect([bench.text, player.behind]).toEqual(["ab<100x30>cd", false]);
  });

  it("waits for a screen that is slow", async () => {
    const [player, bench] = await begun();
    player.play();
    await bench.pass(900);
    for (let turn = 0; turn < 20; turn++) bench.turn(100);
    expect([player.position, player.behind]).toEqual([1000, true]);
    await bench.pass(500);
    expect([player.position, bench.text]).toEqual([1500, "ab<100x30>"]);
  });

  it("shows a screen once, and does away with one that nobody will see", async () => {
    const [player, bench] = await begun();
    player.play();
    await bench.pass(1000);
    expect(bench.shows).toBe(1);
    player.seek(4500);
    await bench.settle();
    player.seek(1000);
    await Promise.resolve();
    player.seek(0);
    await bench.settle();
    expect([bench.all[1], bench.text, bench.shows]).toEqual(["ab†", "a", 2]);
  });

  it("does not leap after a while away", async () => {
    const long = parse(`${HEAD}[0,"o","a"]\n[0.1,"o","b"]\n[100,"o","c"]\n`);
    const [player, bench] = await begun(long);
    player.cut(0);
    player.play();
    await bench.pass(200);
    const { position } = player;
    await bench.pass(0, 60_000);
    await bench.pass(0);
    expect(player.position - position).toBeLessThan(600);
  });

  it("jumps from marker to marker", async () => {
    const [player] = await begun();
    const at: number[] = [];
    for (const by of [1, 1, 1, -1, -1] as const) {
      player.jump(by);
      at.push(player.position);
    }
    expect(at).toEqual([1000, 4000, 4000, 1000, 1000]);
  });

  it("jumps further back while it plays", async () => {
    const [player, bench] = await begun();
    player.seek(4000);
    player.play();
    await bench.pass(300);
    player.jump(-1);
    expect(player.position).toBe(1000);
  });

  it("writes what is long in pieces, in order, and a size only when all before it is through", async () => {
    const events: Event[] = Array.from({ length: 40 }, (_, at) => ({ at: 0, is: "output", text: `${at % 10}`.repeat(20_000) }));
    const resize: Event = { at: 0, is: "resize", size: { cols: 9, rows: 9 } };
    const output: Event = { at: 0, is: "output", text: "z".repeat(1 << 20) };
    const [, bench] = await begun({ ...CAST, events: [...events, resize, output] });
    const expected = `${events.map((event) => (event.is === "output" ? event.text : "")).join("")}<9x9>${"z".repeat(1 << 20)}`;
    expect(bench.text === expected).toBe(true);
  });
});
