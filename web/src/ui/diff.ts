// What changes between two texts, line by line.

export type Line = { is: "same" | "old" | "new"; text: string };

/** Beyond this, finding the smallest difference takes longer than anybody waits. */
const MOST = 600;

export function diff(before: string, after: string): Line[] {
  const a = lines(before);
  const b = lines(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const same = (texts: string[]) => texts.map((text): Line => ({ is: "same", text }));
  const middle = between(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...same(a.slice(0, start)), ...middle, ...same(a.slice(a.length - end))];
}

function lines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function between(a: string[], b: string[]): Line[] {
  if (a.length > MOST || b.length > MOST) {
    return [...a.map((text): Line => ({ is: "old", text })), ...b.map((text): Line => ({ is: "new", text }))];
  }
  // The longest common subsequence of what is left, from the end.
  const width = b.length + 1;
  const length = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => length[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      length[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const found: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push({ is: "same", text: a[i++] ?? "" });
      j++;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      found.push({ is: "old", text: a[i++] ?? "" });
    } else {
      found.push({ is: "new", text: b[j++] ?? "" });
    }
  }
  return found;
}
