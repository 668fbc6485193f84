// The words of the wire that the app uses, by the names it uses for them.
import type { components as Hub } from "./hub";
import type { components as One } from "./session";

export type Session = Hub["schemas"]["Session"];
export type Prompt = Hub["schemas"]["Prompt"];
export type PromptQuestion = Hub["schemas"]["PromptQuestion"];
export type PromptChoice = Hub["schemas"]["PromptChoice"];
export type Settled = Hub["schemas"]["Settled"];
export type Respond = Hub["schemas"]["RespondRequest"];
export type Answered = Hub["schemas"]["Answered"];
export type Device = Hub["schemas"]["Device"];
export type Rules = Hub["schemas"]["Rules"];
export type Rule = Hub["schemas"]["Rule"];
export type SearchResults = Hub["schemas"]["SearchResults"];
export type Timeline = Hub["schemas"]["Timeline"];
export type Moment = Hub["schemas"]["Moment"];
export type Problem = Hub["schemas"]["Problem"];
export type Entry = Hub["schemas"]["ConversationEntry"];
export type Conversation = Hub["schemas"]["GetConversationResponse"];
export type AgentState = One["schemas"]["GetAgentStateResponse"];
export type Nudged = One["schemas"]["NudgeResponse"];
export type Transcript = One["schemas"]["Transcript"];

export type Scope = "view" | "answer" | "drive" | "admin" | "hooks";

/** What /app.json says: who serves the app, and as whom it may ask. */
export interface About {
  serves: "hub" | "session";
  version: string;
  scope: Scope | null;
  device?: { id: number; name: string } | null;
  session?: { name: string; agent: string } | null;
}

const ORDER: Scope[] = ["view", "answer", "drive", "admin"];

/** Whether a token of one scope is good for what needs another. */
export function opens(scope: Scope | null, needed: Scope): boolean {
  return scope !== null && ORDER.indexOf(scope) >= ORDER.indexOf(needed);
}
