// A plan: all of it, and a yes, or a no with what should be different.
import { useState } from "preact/hooks";
import type { Prompt } from "../api/types";
import { answer } from "../store/answer";
import { WholeMarkdown } from "../ui/markdown";
import { Whole } from "../ui/whole";
import { Answer } from "./guarded";

export function Plan({ prompt }: { prompt: Prompt }) {
  const [feedback, setFeedback] = useState("");
  const text = feedback.trim();
  return (
    <>
      <Whole>
        <div class="plan" tabIndex={0} role="region" aria-label="The plan">
          <WholeMarkdown text={prompt.text} />
        </div>
      </Whole>
      <label class="words">
        What should be different
        <textarea rows={2} value={feedback} onInput={(event) => setFeedback(event.currentTarget.value)} />
      </label>
      <div class="answers">
        <Answer
          class="button primary"
          disabled={text !== ""}
          give={(at) => void answer(prompt, { accept: true }, at)}
        >
          Approve
        </Answer>
        <Answer
          class="button danger"
          give={(at) => void answer(prompt, { accept: false, ...(text ? { text } : {}) }, at)}
        >
          {text ? "Reject with feedback" : "Reject"}
        </Answer>
      </div>
    </>
  );
}
