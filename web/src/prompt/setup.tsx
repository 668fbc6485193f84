// Anything else a dialog asks: what it says, what can be chosen by number, and room for words.
import { useState } from "preact/hooks";
import type { Prompt } from "../api/types";
import { answer } from "../store/answer";
import { Code } from "../ui/parts";

export function Setup({ prompt }: { prompt: Prompt }) {
  const [text, setText] = useState("");
  return (
    <>
      <Code text={prompt.text} label="What is asked" />
      <div class="answers">
        {prompt.options.map((option) => (
          <button type="button" class="button" onClick={() => answer(prompt.id, { option: option.number })}>
            {option.label}
          </button>
        ))}
      </div>
      <label class="words">
        Or in your own words
        <textarea rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div class="answers">
        <button
          type="button"
          class="button"
          disabled={text.trim() === ""}
          onClick={() => answer(prompt.id, { text: text.trim() })}
        >
          Send
        </button>
      </div>
    </>
  );
}
