// One session: what it is, what was said, its terminal, what it did.
import { useEffect, useState } from "preact/hooks";
import { call, post, words } from "../api/http";
import { type Session, opens } from "../api/types";
import { name } from "../board/card";
import { store, useKnown } from "../store/store";
import { later } from "../ui/later";
import { ControlMark, Empty, Notice, StateMark } from "../ui/parts";
import { TABS, type Tab } from "../ui/route";
import { ago, useNow } from "../ui/time";
import { Composer } from "./composer";
import { Conversation } from "./conversation";
import { Timeline } from "./timeline";
import { Transcripts } from "./transcripts";
import "../styles/session.css";

const Terminal = later(async () => (await import("./terminal")).Terminal);
const Recording = later(async () => (await import("../play/recording")).Recording);

const NAMES: Record<Tab, string> = {
  conversation: "Conversation",
  terminal: "Terminal",
  recording: "Recording",
  transcripts: "Transcripts",
  timeline: "Timeline",
};

export function SessionPage({ id, tab, line }: { id: number; tab: Tab | null; line: number | null }) {
  const session = useKnown((state) => state.sessions.get(id));
  const loaded = useKnown((state) => state.loaded);
  useLooked(session);
  if (!session) {
    return loaded ? (
      <Empty title="There is no such session">
        <a href="#/">To the board</a>
      </Empty>
    ) : (
      <p class="loading">Loading…</p>
    );
  }
  const held = isHeld(session);
  const tabs = TABS.filter((tab) => held || tab === "conversation" || tab === "timeline");
  const now = tab !== null && tabs.includes(tab) ? tab : "conversation";
  const base = `/api/v1/sessions/${id}`;
  return (
    <div class="session">
      <Head session={session} />
      <nav class="tabs" aria-label="What is shown">
        {tabs.map((one) => (
          <a href={`#/session/${id}/${one}`} aria-current={one === now ? "page" : undefined}>
            {NAMES[one]}
          </a>
        ))}
      </nav>
      <div class="tab" data-tab={now} tabIndex={now === "timeline" || now === "transcripts" ? 0 : undefined}>
        {now === "conversation" && (
          <Conversation base={base} state={session.state} over={session.control === "cold"} beat={session} line={line} />
        )}
        {now === "terminal" && <Terminal base={base} types={mayDrive(store.now.about?.scope ?? null)} />}
        {now === "recording" && <Recording base={base} />}
        {now === "transcripts" && <Transcripts base={base} />}
        {now === "timeline" && <Timeline session={session} />}
      </div>
      {held && now === "conversation" && <Composer base={base} state={session.state} agent={session.agent} />}
    </div>
  );
}

const mayDrive = (scope: Parameters<typeof opens>[0]) => opens(scope, "drive");
const isHeld = (session: Session) => session.control === "owned" || session.control === "attached";

/** A person looks at it: what is new about it is not new any more. */
function useLooked(session: Session | undefined): void {
  const unseen = session?.unseen === true;
  useEffect(() => {
    if (!unseen || !session || document.hidden || !opens(store.now.about?.scope ?? null, "answer")) return;
    // Without it, the board only goes on to say that it is new.
    post(`/api/v1/sessions/${session.id}/seen`).catch(() => undefined);
  }, [unseen, session?.id]);
}

function Head({ session }: { session: Session }) {
  const now = useNow(1000);
  const about = [session.project, session.branch, session.model].filter(Boolean).join(" · ");
  return (
    <header class="session-head">
      <a class="back" href="#/" aria-label="Back to the board">
        ‹
      </a>
      <div class="session-title">
        <h1>{name(session)}</h1>
        <p class="dim">
          <StateMark state={session.state} /> {ago(session.since_ms, now)} · {about} · <ControlMark control={session.control} />
        </p>
        {session.error && (
          <p class="bad-line">
            {session.error.kind}: {session.error.detail}
          </p>
        )}
      </div>
      <Actions session={session} />
    </header>
  );
}

function Actions({ session }: { session: Session }) {
  const scope = useKnown((state) => state.about?.scope ?? null);
  const [failed, fail] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const does = (what: () => Promise<unknown>) => async () => {
    setBusy(true);
    fail(null);
    await what().catch((error) => fail(words(error)));
    setBusy(false);
  };
  if (!mayDrive(scope)) return null;
  const base = `/api/v1/sessions/${session.id}`;
  const end = does(async () => {
    if (confirm("End this session?")) await call("DELETE", base);
  });
  return (
    <div class="actions">
      {isHeld(session) && (
        <>
          <button type="button" class="button small" disabled={busy} onClick={does(() => post(`${base}/agent/interrupt`))}>
            Interrupt
          </button>
          <button type="button" class="button small danger" disabled={busy} onClick={end}>
            End
          </button>
        </>
      )}
      {session.control === "cold" && (
        <button type="button" class="button small primary" disabled={busy} onClick={does(() => post(`${base}/resume`))}>
          {busy ? "Starting…" : "Resume"}
        </button>
      )}
      {failed && <Notice bad>{failed}</Notice>}
    </div>
  );
}
