// A tool an agent wants to use: all of what it would do, and how far a yes goes.
import { useState } from "preact/hooks";
import type { Prompt } from "../api/types";
import { answer } from "../store/answer";
import { exact } from "../ui/shown";
import { Answer } from "./guarded";
import { Input } from "./input";

export function Permission({ prompt }: { prompt: Prompt }) {
  const [why, setWhy] = useState("");
  const [saying, say] = useState(false);
  const pattern = prompt.suggestion;
  const allow = (scope?: "session" | "path") => (at: number) =>
    void answer(prompt, { accept: true, ...(scope ? { scope } : {}) }, at);
  const deny = (at: number) =>
    void answer(prompt, { accept: false, ...(why.trim() ? { text: why.trim() } : {}) }, at);
  return (
    <>
      <Input prompt={prompt} />
      {saying && (
        <label class="words">
          What it should do instead
          <textarea rows={2} value={why} onInput={(event) => setWhy(event.currentTarget.value)} />
        </label>
      )}
      <div class="answers">
        <Answer class="button primary" give={allow()}>
          Allow once
        </Answer>
        {saying ? (
          <Answer class="button danger" give={deny}>
            {why.trim() ? "Deny with these words" : "Deny"}
          </Answer>
        ) : (
          <span class="two">
            <Answer class="button danger" give={deny}>
              Deny
            </Answer>
            <Answer class="button" give={() => say(true)}>
              Deny, and say why
            </Answer>
          </span>
        )}
        {pattern && (
          <>
            <Answer class="button" give={allow("session")}>
              Allow for this session <code>{exact(pattern)}</code>
            </Answer>
            <Answer class="button" give={allow("path")}>
              Allow in this project <code>{exact(pattern)}</code>
            </Answer>
          </>
        )}
      </div>
    </>
  );
}
