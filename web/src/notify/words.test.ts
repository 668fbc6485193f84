// What notifications contain, as rows.
import { expect, it } from "vitest";
import type { Prompt } from "../api/types";
import { WHOLE_CHARACTERS, notification } from "./words";

const prompt = (text: string, kind = "permission") => ({ id: 1, session: 1, kind, tool: "Bash", project: "shop", text }) as Prompt;

it.each([
  ["a short command", prompt("touch x"), "touch x", "Allow,Deny"],
  ["a short plan", prompt("Tidy up", "plan"), "Tidy up", "Approve,Deny"],
  ["a question", prompt("Which?", "question"), "Which?", ""],
  ["as much as is seen", prompt("x".repeat(WHOLE_CHARACTERS)), "x".repeat(WHOLE_CHARACTERS), "Allow,Deny"],
  ["more than is seen", prompt("x".repeat(WHOLE_CHARACTERS + 1)), "x".repeat(WHOLE_CHARACTERS + 1), "Deny"],
  ["more lines than are seen", prompt("a\n\nb"), "a\n\nb", "Deny"],
  ["more than is sent", prompt("x".repeat(600)), `${"x".repeat(500)}… and 100 more characters`, "Deny"],
  ["hidden characters", prompt("a\u202eb\u00a0c"), "a<U+202E>b<U+00A0>c", "Allow,Deny"],
])("%s", (_, prompt, body, actions) => {
  const made = notification(prompt);
  expect(made.body).toBe(body);
  expect(made.actions.map(({ title }) => title).join()).toBe(actions);
});
