// What somebody has chosen of a question, before it is sent.
import type { Respond } from "../api/types";

export interface Choice {
  /** Counted from 1. */
  options: number[];
  other: boolean;
  text: string;
}

export const none: Choice = { options: [], other: false, text: "" };

export function chosen(choice: Choice, option: number, several: boolean): Choice {
  if (!several) return { ...choice, options: [option], other: false };
  const has = choice.options.includes(option);
  const options = has ? choice.options.filter((one) => one !== option) : [...choice.options, option];
  return { ...choice, options: options.sort((a, b) => a - b) };
}

/** Whether every question has an answer. */
export function complete(choices: Choice[]): boolean {
  return choices.every((choice) => (choice.other ? choice.text.trim() !== "" : choice.options.length > 0));
}

export function answers(choices: Choice[]): Respond["answers"] {
  return choices.map(({ options, other, text }) => ({ options, text: other ? text.trim() : null }));
}
