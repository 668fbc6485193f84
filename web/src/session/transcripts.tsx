// What the conversation was, each time before it was shortened.
import { useEffect, useState } from "preact/hooks";
import { get, words } from "../api/http";
import type { Transcript } from "../api/types";
import { Code, Empty, Notice } from "../ui/parts";
import { shown } from "../ui/shown";
import { dated } from "../ui/time";

export function Transcripts({ base }: { base: string }) {
  const [all, tell] = useState<Transcript[] | null>(null);
  const [failed, fail] = useState<string | null>(null);
  useEffect(() => {
    get<{ transcripts: Transcript[] }>(`${base}/transcripts`).then(
      (told) => tell(told.transcripts),
      (error) => fail(words(error)),
    );
  }, [base]);
  if (failed) return <Notice bad>{failed}</Notice>;
  if (!all) return <p class="loading">Loading…</p>;
  if (all.length === 0) {
    return (
      <Empty title="No transcripts yet">
        <p>One is kept each time before the conversation is shortened.</p>
      </Empty>
    );
  }
  return (
    <div class="transcripts">
      {all.map((one) => (
        <One key={one.number} base={base} transcript={one} />
      ))}
    </div>
  );
}

function One({ base, transcript }: { base: string; transcript: Transcript }) {
  const [content, tell] = useState<string | null>(null);
  const open = async (event: Event) => {
    if (content !== null || !(event.currentTarget as HTMLDetailsElement).open) return;
    try {
      tell((await get<{ content: string }>(`${base}/transcripts/${transcript.number}`)).content);
    } catch (error) {
      tell(words(error));
    }
  };
  return (
    <details onToggle={open}>
      <summary>
        Transcript {transcript.number} <span class="dim">{dated(transcript.at_ms)}, {transcript.lines} lines</span>
      </summary>
      {content === null ? <p class="loading">Loading…</p> : <Code text={shown(content)} label="Transcript" />}
    </details>
  );
}
