// Anything else a dialog asks: what it says, what can be chosen by number, and room for words.
import { useState } from "preact/hooks";
import type { Prompt } from "../api/types";
import { answer } from "../store/answer";
import { Code } from "../ui/parts";
import { exact } from "../ui/shown";
import { Whole } from "../ui/whole";
import { Answer } from "./guarded";

export function Setup({ prompt }: { prompt: Prompt }) {
  const [text, setText] = useState("");
  return (
    <>
      <Whole>
        <Code text={exact(prompt.text)} label="What is asked" />
      </Whole>
      <div class="answers">
        {prompt.options.map((option) => (
          <Answer class="button" give={(at) => void answer(prompt, { option: option.number }, at)}>
            {exact(option.label)}
          </Answer>
        ))}
      </div>
      <label class="words">
        Or in your own words
        <textarea rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <div class="answers">
        <Answer
          class="button"
          disabled={text.trim() === ""}
          give={(at) => void answer(prompt, { text: text.trim() }, at)}
        >
          Send
        </Answer>
      </div>
    </>
  );
}
