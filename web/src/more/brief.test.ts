// What the history shows of each thing that was asked.
import { expect, it } from "vitest";
import { brief } from "./brief";

it("shows the field that tells most, and else the text", () => {
  const rows: [unknown, string][] = [
    ["touch x", "touch x"],
    [{ file_path: "/a/b.md", old_string: "x" }, "/a/b.md"],
    [{ plan: "## Tidy up\n1. Now" }, "Tidy up"],
    [{ questions: [{ question: "Which?" }, { question: "How many?" }] }, "Which? · How many?"],
    [{ url: "https://x" }, "https://x"],
    [{ other: 1 }, '{"other":1}'],
    ["{ cut", "{ cut"],
  ];
  for (const [given, shown] of rows) expect(brief(typeof given === "string" ? given : JSON.stringify(given))).toBe(shown);
});
