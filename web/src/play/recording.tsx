// What is kept of a session's output so far, played.
import { useEffect, useState } from "preact/hooks";
import { stream, words } from "../api/http";
import { Empty, Notice } from "../ui/parts";
import { clock } from "../ui/time";
import type { Cast } from "./cast";
import { load } from "./load";
import { Show } from "./show";

export function Recording({ base }: { base: string }) {
  const path = `${base}/recording?from=start`;
  const [cast, set] = useState<{ cast: Cast; when: number } | null>(null);
  const [failed, fail] = useState<string | null>(null);
  const [round, again] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    set(null);
    fail(null);
    stream(`${path}&version=3`, abort.signal)
      .then((bytes) => load(bytes))
      .then(
        (cast) => !abort.signal.aborted && set({ cast, when: Date.now() }),
        (error) => !abort.signal.aborted && fail(`The recording cannot be played: ${words(error)}`),
      );
    return () => abort.abort();
  }, [path, round]);
  return (
    <div class="recording">
      <div class="terminal-head">
        <span class="dim" role="status">
          {cast && `What is kept until ${clock(cast.when)}`}
        </span>
        <span class="recording-links">
          <button type="button" class="plain" onClick={() => again(round + 1)}>
            Load again
          </button>
          <a class="plain" href={path} download>
            Download
          </a>
          <a class="plain" href="#/play">
            Play a file
          </a>
        </span>
      </div>
      {failed && <Notice bad>{failed}</Notice>}
      {!cast && !failed && <p class="loading">Loading…</p>}
      {cast && cast.cast.events.length === 0 && <Empty title="It has printed nothing yet" />}
      {cast && cast.cast.events.length > 0 && <Show cast={cast.cast} />}
    </div>
  );
}
