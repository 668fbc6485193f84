// Text of others, as it is shown.
import { describe, expect, it } from "vitest";
import { answers, chosen, complete, none } from "../prompt/choice";
import { diff } from "./diff";
import { parse } from "./route";
import { loses } from "./loses";
import { rest, restWords } from "./rest";
import { exact, printed, shown } from "./shown";
import { ago } from "./time";

describe("what hides is made visible", () => {
  it.each([
    ["plain\n\ttext", "plain\n\ttext"],
    ["rm \u202ex\u001b[2J", "rm <U+202E>x␛[2J"],
    ["a\u200bb\u007f", "a<U+200B>b␡"],
    ["tag\u{e0041}", "tag<U+E0041>"],
    ["❤️", "❤️"],
  ])("%j", (text, expected) => expect(shown(text)).toBe(expected));

  const ranges: [string, number, number][] = [
    ["C0", 0x00, 0x08],
    ["C0 after the line break", 0x0b, 0x1f],
    ["DEL and C1", 0x7f, 0x9f],
    ["soft hyphen", 0xad, 0xad],
    ["grapheme joiner", 0x34f, 0x34f],
    ["Arabic letter mark", 0x61c, 0x61c],
    ["Hangul fillers", 0x115f, 0x1160],
    ["Khmer vowels", 0x17b4, 0x17b5],
    ["Mongolian selectors", 0x180b, 0x180f],
    ["zero width and marks of direction", 0x200b, 0x200f],
    ["separators and overrides of direction", 0x2028, 0x202e],
    ["word joiner, invisible operators, isolates", 0x2060, 0x206f],
    ["Hangul filler", 0x3164, 0x3164],
    ["variation selectors", 0xfe00, 0xfe0e],
    ["byte order mark", 0xfeff, 0xfeff],
    ["halfwidth filler", 0xffa0, 0xffa0],
    ["annotation", 0xfff9, 0xfffb],
    ["shorthand controls", 0x1bca0, 0x1bca3],
    ["musical controls", 0x1d173, 0x1d17a],
    ["tags and selectors beyond", 0xe0000, 0xe0fff],
  ];
  it.each(ranges)("%s", (_, from, to) => {
    for (let code = from; code <= to; code++) {
      const text = shown(`a${String.fromCodePoint(code)}b`);
      expect(text, code.toString(16)).toMatch(/^a([\u2400-\u2421]|<U\+[0-9A-F]{4,5}>)b$/u);
      expect(exact(text)).toBe(text);
    }
  });

  it.each([
    ["rm a\u00a0b", "rm a<U+00A0>b"],
    ["a\u3000b\u2003c\u202fd", "a<U+3000>b<U+2003>c<U+202F>d"],
    ["a\u2800b", "a<U+2800>b"],
    ["rm x\ufe0f", "rm x<U+FE0F>"],
    ["❤️ 1️⃣ ü 漢 🏽", "❤️ 1️⃣ ü 漢 🏽"],
    ["two  spaces\n\tand a tab", "two  spaces\n\tand a tab"],
  ])("in what is approved: %j", (text, expected) => expect(exact(text)).toBe(expected));

  it("output of a command has no colours", () => {
    expect(printed("\u001b[31mred\u001b[0m \u001b]0;title\u0007x\r\ny")).toBe("red x\ny");
  });
});

describe("a difference", () => {
  const signs = (before: string, after: string) => diff(before, after).map((line) => ({ same: " ", old: "-", new: "+" })[line.is] + line.text);
  it.each([
    ["a\nb\nc", "a\nx\nc", [" a", "-b", "+x", " c"]],
    ["", "a", ["+a"]],
    ["a\n", "", ["-a"]],
    ["a\nb", "b\na", ["-a", " b", "+a"]],
    ["same", "same", [" same"]],
  ])("%j and %j", (before, after, expected) => expect(signs(before, after)).toEqual(expected));

  it("gives back both texts", () => {
    const [before, after] = ["1\n2\n3\n4\n5", "0\n2\n4\n4\n6"];
    const of = (kinds: string[]) => diff(before, after).filter((line) => kinds.includes(line.is)).map((line) => line.text).join("\n");
    expect(of(["same", "old"])).toBe(before);
    expect(of(["same", "new"])).toBe(after);
  });
});

describe("answers to questions", () => {
  it("are one or several", () => {
    expect(chosen(chosen(none, 1, false), 2, false).options).toEqual([2]);
    expect(chosen(chosen(none, 3, true), 1, true).options).toEqual([1, 3]);
    expect(chosen(chosen(none, 3, true), 3, true).options).toEqual([]);
    const other = { options: [], other: true, text: " Gamma " };
    expect(complete([none])).toBe(false);
    expect(complete([chosen(none, 1, false), other])).toBe(true);
    expect(complete([{ ...other, text: " " }])).toBe(false);
    expect(answers([chosen(none, 1, false), other])).toEqual([{ options: [1], text: null }, { options: [], text: "Gamma" }]);
  });
});

describe("where one is", () => {
  it.each([
    ["", { page: "board" }],
    ["#/session/3", { page: "session", id: 3, tab: null, line: null }],
    ["#/session/3/terminal", { page: "session", id: 3, tab: "terminal", line: null }],
    ["#/session/3/conversation?line=7", { page: "session", id: 3, tab: "conversation", line: 7 }],
    ["#/session/x", { page: "board" }],
    ["#/rules", { page: "rules" }],
    ["#/javascript:alert(1)", { page: "board" }],
  ])("%s", (hash, expected) => expect(parse(hash)).toEqual(expected));
});

it("times as people say them", () => {
  for (const [ms, text] of [[5_000, "5s"], [65_000, "1m"], [3_600_000, "1h"], [5_400_000, "1h 30m"], [260_000_000, "3d"], [-5, "0s"]] as const) {
    expect(ago(0, ms)).toBe(text);
  }
});

describe("what is outside of a box is counted in lines", () => {
  it.each([
    ["all of it fits", { top: 0, height: 100, whole: 100, line: 20 }, null, ""],
    ["a rounded pixel", { top: 0, height: 100, whole: 101, line: 20 }, null, ""],
    ["one line below", { top: 0, height: 100, whole: 120, line: 20 }, { above: 0, below: 1 }, "↓ 1 more line below: scroll to read all of it"],
    ["part of a line", { top: 0, height: 100, whole: 105, line: 20 }, { above: 0, below: 1 }, "↓ 1 more line below: scroll to read all of it"],
    ["many", { top: 40, height: 100, whole: 1000, line: 20 }, { above: 2, below: 43 }, "↓ 43 more lines below: scroll to read all of it"],
    ["at the end", { top: 900, height: 100, whole: 1000, line: 20 }, { above: 45, below: 0 }, "↑ 45 more lines above; this is the end"],
  ])("%s", (_, box, left, words) => {
    expect(rest(box)).toEqual(left);
    if (left) expect(restWords(left)).toBe(words);
  });
});

describe("a text that was formatted", () => {
  it.each([
    ["# Tidy\n\n1. **Say** it\n2. `rm -rf`", "Tidy\nSay it\nrm -rf", false],
    ["see [docs](https://evil.example)", "see docs (https://evil.example)", false],
    ["see [docs](https://evil.example)", "see docs", true],
    ["[//]: # (then push)", "", true],
    ["|a|\n|-|\n|b|then push|", "a b", true],
    ["twice twice", "twice", true],
    ["a\u202eb", "a<U+202E>b", false],
  ])("%j as %j", (written, visible, expected) => expect(loses(written, visible)).toBe(expected));
});
