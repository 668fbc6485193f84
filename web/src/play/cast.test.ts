// The same files as the reader of crates/terminal has.
import { describe, expect, it } from "vitest";
import { type Cast, type Event, CastError, Reader, parse } from "./cast";
import { load, loadFile } from "./load";

const files = import.meta.glob<string>("../../../crates/terminal/testdata/casts/*", { query: "?raw", import: "default", eager: true });
const texts = new Map(Object.entries(files).map(([path, text]) => [path.split("/").at(-1) ?? "", text]));
const names = [...texts.keys()].filter((name) => name.endsWith(".cast"));
const BAD = JSON.parse(texts.get("bad.json") ?? "[]") as [string, string][];

function told({ head, events, cut }: Cast) {
  const { version, size, title, timestamp } = head;
  return { version, size: [size.cols, size.rows], title, timestamp, cut, events: events.map(row) };
}

function row(event: Event): [number, string, string] {
  const at = Math.round(event.at * 1000);
  switch (event.is) {
    case "output":
      return [at, "o", event.text];
    case "input":
      return [at, "i", event.text];
    case "marker":
      return [at, "m", event.name];
    case "resize":
      return [at, "r", `${event.size.cols}x${event.size.rows}`];
    case "exit":
      return [at, "x", `${event.code}`];
    case "other":
      return [at, "?", ""];
  }
}

describe("a recording is read", () => {
  it("there are some", () => expect(names.length).toBeGreaterThan(3));

  it.each(names)("%s", (name) => {
    const expected = JSON.parse(texts.get(name.replace(/cast$/, "json")) ?? "") as unknown;
    expect(told(parse(texts.get(name) ?? ""))).toEqual(expected);
  });

  it.each(names)("%s, in parts of any size", async (name) => {
    const text = texts.get(name) ?? "";
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 2, 3, 7, 64]) {
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.slice(at * size, (at + 1) * size));
      expect(await load(stream(parts))).toEqual(parse(text));
    }
  });
});

describe("what is no recording says why", () => {
  it.each(BAD)("%j: %s", (text, why) => {
    expect(() => parse(text)).toThrow(CastError);
    expect(() => parse(text)).toThrow(why);
  });

  it("before all of it was read", () => {
    expect(() => new Reader().add("\u0000\u0001no lines here")).toThrow("line 1");
  });

  it("when it is too large, which is known of a file before it is read", async () => {
    const text = `{"version":2,"width":80,"height":24}\n[1,"o","${"x".repeat(2 << 20)}"]\n`;
    const bytes = new TextEncoder().encode(text);
    await expect(load(stream([bytes]), 1 << 20)).rejects.toThrow("more than 1 MiB");
    await expect(loadFile(new Blob([bytes]), 1 << 20)).rejects.toThrow("more than 1 MiB");
    expect((await loadFile(new Blob([bytes]))).events.length).toBe(1);
  });
});

function stream(parts: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
