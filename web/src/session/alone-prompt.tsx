// What an agent asks where there is no hub: what its dialog shows, and what can be chosen there.
import { useState } from "preact/hooks";
import { post, words } from "../api/http";
import type { AgentState } from "../api/types";
import { Answer, Guarded } from "../prompt/guarded";
import { face } from "../store/guard";
import { store } from "../store/store";
import { Code, Notice } from "../ui/parts";
import { exact } from "../ui/shown";
import { Whole } from "../ui/whole";

type Prompt = NonNullable<AgentState["prompt"]>;

export function AlonePrompt({ prompt }: { prompt: Prompt }) {
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState("");
  const [failed, fail] = useState<string | null>(null);
  const card = face(prompt);
  const answer = (body: object) => async (at: number) => {
    if (busy || !store.tell({ type: "answering-alone", card, at })) return;
    setBusy(true);
    fail(null);
    try {
      await post("/api/v1/agent/respond", { ...body, prompt_id: prompt.prompt_id, digest: prompt.digest });
    } catch (error) {
      fail(words(error));
    }
    setBusy(false);
  };
  const yes = prompt.type === "permission" || prompt.type === "plan";
  const what = prompt.summary ?? prompt.question ?? whole(prompt) ?? prompt.type;
  return (
    <section class="panel" aria-label="What is asked">
      <header class="panel-head">
        <p class="fold">
          <strong>{prompt.tool ? `It wants to use ${exact(prompt.tool)}` : `It asks: ${prompt.type}`}</strong>
        </p>
      </header>
      <div class="panel-body">
        <Guarded card={card} disabled={busy} busy={busy}>
          <Whole>
            <Code text={exact(what)} label="What is asked" />
          </Whole>
          <div class="answers">
            {yes && (
              <Answer class="button primary" give={answer({ accept: true })}>
                {prompt.type === "plan" ? "Approve" : "Allow once"}
              </Answer>
            )}
            {yes && (
              <Answer class="button danger" give={answer(text ? { accept: false, text } : { accept: false })}>
                {text ? "Deny with these words" : "Deny"}
              </Answer>
            )}
            {!yes &&
              prompt.options?.map((option, at) => (
                <Answer class="button" give={answer({ option: at + 1 })}>
                  {exact(option)}
                </Answer>
              ))}
          </div>
          <label class="words">
            In your own words
            <textarea rows={2} value={text} onInput={(event) => setText(event.currentTarget.value)} />
          </label>
          {!yes && text && (
            <Answer class="button" give={answer({ text })}>
              Send
            </Answer>
          )}
        </Guarded>
        {failed && <Notice bad>{failed}</Notice>}
      </div>
    </section>
  );
}

/** The whole input, not the beginning of it. */
function whole(prompt: Prompt): string | null {
  const full: unknown = prompt.input_full;
  if (full === null || full === undefined) return [prompt.message, prompt.input].filter(Boolean).join("\n") || null;
  const fields = typeof full === "string" ? parsed(full) : full;
  const command = typeof fields === "object" && fields !== null ? (fields as { command?: unknown }).command : null;
  const only = typeof fields === "object" && fields !== null && Object.keys(fields).every((key) => key === "command" || key === "description");
  return typeof command === "string" && only ? command : JSON.stringify(fields, null, 2);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
