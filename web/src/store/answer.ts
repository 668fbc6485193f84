// Answering: the button is disabled by the tap, and the card goes by the event of the hub, which may be of another answer.
import { Refused, post, words } from "../api/http";
import type { Answered, Prompt, Respond } from "../api/types";
import { store } from "./store";

/** Sends an answer that was given to this card at the instant `at`, unless that was in the dead time of the card. */
export async function answer(prompt: Prompt, respond: Partial<Respond>, at: number): Promise<void> {
  const { id, digest } = prompt;
  if (!store.tell({ type: "answering", id, at })) return;
  try {
    const answered = await post<Answered>(`/api/v1/prompts/${id}/answer`, { ...respond, digest });
    if (!answered.delivered) {
      const why = answered.reason ?? "It is not certain that the answer arrived.";
      store.tell({ type: "answer-failed", id, why, over: false });
    }
  } catch (error) {
    const over = error instanceof Refused && error.code === "NO_PROMPT";
    store.tell({ type: "answer-failed", id, why: words(error), over });
  }
}
