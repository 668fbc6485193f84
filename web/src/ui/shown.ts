// Text of an agent as it is shown: characters that hide, reorder or paint over other text are replaced by visible ones.
// All that crates/core/src/fleet/text.rs replaces, and whatever else Unicode calls a control, a format or ignorable.

/** Line breaks and tabs stay, and so does the selector that makes a sign an emoji. */
const HIDES = /(?![\n\t\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;
/** Look like a space, or like nothing, and are none to a shell. The selector of emoji hides behind a letter. */
const BLANK = /(?! )\p{Zs}|[\u2800\ufffc\u{1d159}]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}0-9#*])\ufe0f/gu;

/** Makes hidden characters visible. */
export function shown(text: string): string {
  return text.replace(HIDES, visible);
}

/** The same for what is approved, where each character counts: other spaces than the plain one are made visible too. */
export function exact(text: string): string {
  return shown(text).replace(BLANK, visible);
}

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** What a command printed, without the sequences that only a terminal understands. */
export function printed(text: string): string {
  return shown(text.replace(ESCAPES, "").replace(/\r\n/g, "\n"));
}
