// What a notification of this browser contains. Pure.
import type { Prompt } from "../api/types";
import { exact } from "../ui/shown";

/** Every system shows this much of a notification; of a longer text, an unknown part. */
export const WHOLE_CHARACTERS = 120;
const WHOLE_LINES = 2;
const LONGEST = 500;

export interface Words {
  title: string;
  body: string;
  actions: { action: "allow" | "deny"; title: string }[];
}

/** Allow is offered only where the whole text is seen; Deny always, for it lets nothing happen. */
export function notification(prompt: Prompt): Words {
  const asks = prompt.kind === "permission" ? `wants to use ${exact(prompt.tool)}` : `has a ${prompt.kind}`;
  const title = `${exact(prompt.project ?? "An agent")} ${asks}`;
  const text = exact(prompt.text);
  const letters = [...text];
  const body = letters.length > LONGEST ? `${letters.slice(0, LONGEST).join("")}… and ${letters.length - LONGEST} more characters` : text;
  if (prompt.kind !== "permission" && prompt.kind !== "plan") return { title, body, actions: [] };
  const deny = { action: "deny" as const, title: "Deny" };
  const allow = { action: "allow" as const, title: prompt.kind === "permission" ? "Allow" : "Approve" };
  return { title, body, actions: fits(text) ? [allow, deny] : [deny] };
}

function fits(text: string): boolean {
  return [...text].length <= WHOLE_CHARACTERS && text.split("\n").length <= WHOLE_LINES;
}
