// Whether a text that was formatted lacks a word of what was written.
import { shown } from "./shown";

/** Compares words alone: signs are what markdown is made of, and numbers of lists are drawn by the browser. */
export function loses(written: string, visible: string): boolean {
  const left = new Map<string, number>();
  for (const word of words(visible)) left.set(word, (left.get(word) ?? 0) + 1);
  return words(shown(written)).some((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
}

function words(text: string): string[] {
  return text.match(/\p{L}[\p{L}\p{M}\p{N}]*/gu) ?? [];
}
