// The one panel at the bottom: whatever is asked, and the buttons to answer it.
import { useEffect, useState } from "preact/hooks";
import { opens, type Prompt } from "../api/types";
import { asked } from "../store/order";
import { useKnown } from "../store/store";
import { Notice } from "../ui/parts";
import { ago, useNow } from "../ui/time";
import { Permission } from "./permission";
import { Plan } from "./plan";
import { Question } from "./question";
import { Setup } from "./setup";

export function Panel({ session }: { session: number | undefined }) {
  const state = useKnown((state) => state);
  const all = asked(state);
  const here = all.filter((prompt) => prompt.session === session);
  const order = [...here, ...all.filter((prompt) => prompt.session !== session)];
  const [chosen, choose] = useState<number | null>(null);
  const [folded, fold] = useState(false);
  useEffect(() => choose(null), [session]);
  const prompt = order.find((prompt) => prompt.id === chosen) ?? order[0];
  if (!prompt) return null;
  const place = order.indexOf(prompt);
  const step = (by: number) => choose(order[(place + by + order.length) % order.length]?.id ?? null);
  return (
    <section class={folded ? "panel folded" : "panel"} aria-label="What is asked" data-prompt={prompt.id}>
      <header class="panel-head">
        <button type="button" class="fold" aria-expanded={!folded} onClick={() => fold(!folded)}>
          <span aria-hidden="true">{folded ? "▴" : "▾"}</span>
          <Heading prompt={prompt} />
        </button>
        {order.length > 1 && (
          <span class="steps">
            <button type="button" onClick={() => step(-1)} aria-label="The one before">
              ‹
            </button>
            {place + 1} of {order.length}
            <button type="button" onClick={() => step(1)} aria-label="The next one">
              ›
            </button>
          </span>
        )}
      </header>
      {!folded && <Body key={prompt.id} prompt={prompt} />}
    </section>
  );
}

const WANTS: Record<string, string> = { plan: "has a plan", question: "has a question", setup: "needs you" };

function Heading({ prompt }: { prompt: Prompt }) {
  const session = useKnown((state) => state.sessions.get(prompt.session));
  const now = useNow(1000);
  const who = session?.title ?? prompt.project ?? "An agent";
  return (
    <span class="asks">
      <strong>{who}</strong> {WANTS[prompt.kind] ?? `wants to use ${prompt.tool}`}
      <span class="dim">
        {" "}
        {prompt.project} · {ago(prompt.asked_ms, now)}
        <Expires at={prompt.expires_ms} now={now} />
      </span>
    </span>
  );
}

/** Only when it is near: then it is left to the terminal. */
function Expires({ at, now }: { at: number; now: number }) {
  const left = at - now;
  if (left > 120_000 || left < 0) return null;
  return <span class="expires"> · to the terminal in {ago(now, at)}</span>;
}

function Body({ prompt }: { prompt: Prompt }) {
  const sending = useKnown((state) => state.sending.get(prompt.id));
  const scope = useKnown((state) => state.about?.scope ?? null);
  const may = opens(scope, "answer");
  const busy = sending?.is === "sending";
  return (
    <div class="panel-body">
      <fieldset disabled={busy || !may} aria-busy={busy}>
        <legend class="hidden">Answer</legend>
        <Kind prompt={prompt} />
      </fieldset>
      {!may && <Notice>This device may look and not answer: coop pair --scope answer gives one that may.</Notice>}
      {sending?.is === "failed" && <Notice bad>{sending.why}</Notice>}
    </div>
  );
}

function Kind({ prompt }: { prompt: Prompt }) {
  switch (prompt.kind) {
    case "plan":
      return <Plan prompt={prompt} />;
    case "question":
      return prompt.questions && prompt.questions.length > 0 ? <Question prompt={prompt} /> : <Setup prompt={prompt} />;
    case "permission":
      return <Permission prompt={prompt} />;
    default:
      return <Setup prompt={prompt} />;
  }
}
