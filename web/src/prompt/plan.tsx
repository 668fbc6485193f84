// A plan: all of it, and a yes, or a no with what should be different.
import { useState } from "preact/hooks";
import type { Prompt } from "../api/types";
import { answer } from "../store/answer";
import { Markdown } from "../ui/markdown";

export function Plan({ prompt }: { prompt: Prompt }) {
  const [feedback, setFeedback] = useState("");
  const text = feedback.trim();
  return (
    <>
      <div class="plan" tabIndex={0} role="region" aria-label="The plan">
        <Markdown text={prompt.text} />
      </div>
      <label class="words">
        What should be different
        <textarea rows={2} value={feedback} onInput={(event) => setFeedback(event.currentTarget.value)} />
      </label>
      <div class="answers">
        <button
          type="button"
          class="button primary"
          disabled={text !== ""}
          onClick={() => answer(prompt.id, { accept: true })}
        >
          Approve
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => answer(prompt.id, { accept: false, ...(text ? { text } : {}) })}
        >
          {text ? "Reject with feedback" : "Reject"}
        </button>
      </div>
    </>
  );
}
