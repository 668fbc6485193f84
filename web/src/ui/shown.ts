// Text of an agent as a person is to see it: what would hide, reorder or paint over other text is made visible.
// The same characters as in crates/core/src/fleet/text.rs.

const HIDES = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
    "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\ufe00-\\ufe0e]" +
    "|[\\u{e0000}-\\u{e0fff}]",
  "gu",
);

export function shown(text: string): string {
  return text.replace(HIDES, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** What a command printed, without the sequences that only a terminal understands. */
export function printed(text: string): string {
  return shown(text.replace(ESCAPES, "").replace(/\r\n/g, "\n"));
}
