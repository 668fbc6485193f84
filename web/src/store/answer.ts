// Answering: the button is disabled by the tap, and the card goes by the event, whoever was first.
import { Refused, post, words } from "../api/http";
import type { Answered, Respond } from "../api/types";
import { store } from "./store";

export async function answer(id: number, respond: Partial<Respond>): Promise<void> {
  if (store.now.sending.get(id)?.is === "sending") return;
  store.tell({ type: "answering", id });
  try {
    const answered = await post<Answered>(`/api/v1/prompts/${id}/answer`, respond);
    if (!answered.delivered) {
      const why = answered.reason ?? "It is not certain that the answer arrived.";
      store.tell({ type: "answer-failed", id, why, over: false });
    }
  } catch (error) {
    const over = error instanceof Refused && error.code === "NO_PROMPT";
    store.tell({ type: "answer-failed", id, why: words(error), over });
  }
}
