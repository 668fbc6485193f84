// What was asked, in a line: of an input that is fields, the one that tells most. Pure.

type Fields = Record<string, unknown>;

export function brief(text: string): string {
  const fields = parsed(text);
  if (!fields) return text;
  const of = (key: string) => (typeof fields[key] === "string" ? (fields[key] as string) : "");
  const plan = of("plan").replace(/^#+\s*/, "").split("\n", 1)[0] ?? "";
  return of("file_path") || of("notebook_path") || plan || questions(fields["questions"]) || of("url") || of("query") || text;
}

function questions(all: unknown): string {
  const list = Array.isArray(all) ? (all as Fields[]) : [];
  return list.map((one) => (typeof one["question"] === "string" ? one["question"] : "")).filter(Boolean).join(" · ");
}

/** Nothing for what is no object, such as a command, or one that was cut. */
function parsed(text: string): Fields | null {
  if (!text.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
}
