// What is kept of a session's output so far, played.
import { useEffect, useState } from "preact/hooks";
import { file, stream, words } from "../api/http";
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
  // A link cannot bring the key of this browser's credential.
  const download = () =>
    file(path).then(
      ({ name, blob }) => save(blob, name),
      (error) => fail(`The recording cannot be downloaded: ${words(error)}`),
    );
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
          <button type="button" class="plain" onClick={download}>
            Download
          </button>
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

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
