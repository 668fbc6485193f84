// How much of a text is outside of its box, in lines. Pure: sizes come in, in pixels.

export interface Box {
  /** How far it is scrolled. */
  top: number;
  /** Height of what is seen, and of all of it. */
  height: number;
  whole: number;
  /** Height of one line. */
  line: number;
}

/** Lines above and below what is seen, or null if all of the text is seen. */
export function rest({ top, height, whole, line }: Box): { above: number; below: number } | null {
  // Sizes are rounded to whole pixels.
  if (whole - height <= 1) return null;
  const lines = (pixels: number) => (pixels <= 1 ? 0 : Math.ceil(pixels / line));
  return { above: lines(top), below: lines(whole - height - top) };
}

export function restWords({ above, below }: { above: number; below: number }): string {
  const lines = (count: number) => (count === 1 ? "1 more line" : `${count} more lines`);
  if (below > 0) return `↓ ${lines(below)} below: scroll to read all of it`;
  return above > 0 ? `↑ ${lines(above)} above; this is the end` : "";
}
