// Text of others, as it is shown.
import { describe, expect, it } from "vitest";
import { answers, chosen, complete, none } from "../prompt/choice";
import { diff } from "./diff";
import { parse } from "./route";
import { printed, shown } from "./shown";
import { ago } from "./time";

describe("what hides is made visible", () => {
  it.each([
    ["plain\n\ttext", "plain\n\ttext"],
    ["rm \u202ex\u001b[2J", "rm <U+202E>x␛[2J"],
    ["a\u200bb\u007f", "a<U+200B>b␡"],
    ["tag\u{e0041}", "tag<U+E0041>"],
    ["❤️", "❤️"],
  ])("%j", (text, expected) => expect(shown(text)).toBe(expected));

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
