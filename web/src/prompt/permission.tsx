// A tool an agent wants to use: all of what it would do, and how far a yes goes.
import { useState } from "preact/hooks";
import type { Prompt } from "../api/types";
import { answer } from "../store/answer";
import { Input } from "./input";

export function Permission({ prompt }: { prompt: Prompt }) {
  const [why, setWhy] = useState("");
  const [saying, say] = useState(false);
  const pattern = prompt.suggestion;
  const deny = () => answer(prompt.id, { accept: false, ...(why.trim() ? { text: why.trim() } : {}) });
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
        <button type="button" class="button primary" onClick={() => answer(prompt.id, { accept: true })}>
          Allow once
        </button>
        {saying ? (
          <button type="button" class="button danger" onClick={deny}>
            {why.trim() ? "Deny with these words" : "Deny"}
          </button>
        ) : (
          <span class="two">
            <button type="button" class="button danger" onClick={deny}>
              Deny
            </button>
            <button type="button" class="button" onClick={() => say(true)}>
              Deny, and say why
            </button>
          </span>
        )}
        {pattern && (
          <>
            <button type="button" class="button" onClick={() => answer(prompt.id, { accept: true, scope: "session" })}>
              Allow for this session <code>{pattern}</code>
            </button>
            <button type="button" class="button" onClick={() => answer(prompt.id, { accept: true, scope: "path" })}>
              Allow in this project <code>{pattern}</code>
            </button>
          </>
        )}
      </div>
    </>
  );
}
