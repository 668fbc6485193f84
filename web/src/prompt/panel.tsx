// The one panel at the bottom: whatever is asked, and the buttons to answer it.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { opens, type Prompt } from "../api/types";
import { face } from "../store/guard";
import { front, queue } from "../store/order";
import { useKnown } from "../store/store";
import { Notice } from "../ui/parts";
import { exact } from "../ui/shown";
import { ago, useNow } from "../ui/time";
import { Guarded } from "./guarded";
import { Permission } from "./permission";
import { Plan } from "./plan";
import { Question } from "./question";
import { Setup } from "./setup";

export function Panel({ session }: { session: number | undefined }) {
  const state = useKnown((state) => state);
  const order = queue(state, session);
  const [chosen, choose] = useState<number | null>(null);
  const [folded, fold] = useState(false);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => choose(null), [session]);
  const prompt = front(order, chosen);
  const id = prompt?.id ?? null;
  // A card that is in front stays there: one that comes meanwhile waits for its turn.
  useEffect(() => choose(id), [id, chosen]);
  // A card begins at its beginning, however far the one before was scrolled.
  useLayoutEffect(() => panel.current?.scrollTo(0, 0), [id]);
  if (!prompt) return null;
  const place = order.indexOf(prompt);
  const step = (by: number) => choose(order[(place + by + order.length) % order.length]?.id ?? null);
  return (
    <section ref={panel} class={folded ? "panel folded" : "panel"} aria-label="What is asked" data-prompt={prompt.id}>
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
  const who = exact(session?.title ?? prompt.project ?? "An agent");
  return (
    <span class="asks">
      <strong>{who}</strong> {WANTS[prompt.kind] ?? `wants to use ${exact(prompt.tool)}`}
      <span class="dim">
        {" "}
        {exact(prompt.project ?? "")} · {ago(prompt.asked_ms, now)}
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
  const card = useMemo(() => face(prompt), [prompt]);
  return (
    <div class="panel-body">
      <Guarded card={card} disabled={busy || !may} busy={busy}>
        <Kind prompt={prompt} />
      </Guarded>
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
