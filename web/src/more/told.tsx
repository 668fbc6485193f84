// Something that is asked of the hub when a page is opened, and again when it may have changed.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get, words } from "../api/http";
import { Notice } from "../ui/parts";

export function useTold<T>(path: string, beat: unknown = 0): { told: T | null; failed: string | null; again: () => void } {
  const [told, tell] = useState<T | null>(null);
  const [failed, fail] = useState<string | null>(null);
  const [count, draw] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    get<T>(path, abort.signal).then(
      (told) => {
        tell(told);
        fail(null);
      },
      (error) => !abort.signal.aborted && fail(words(error)),
    );
    return () => abort.abort();
  }, [path, beat, count]);
  return { told, failed, again: () => draw((count) => count + 1) };
}

/** What is shown until it has come, or instead. */
export function Waiting({ failed, children }: { failed: string | null; children?: ComponentChildren }) {
  return failed ? <Notice bad>{failed}</Notice> : (children ?? <p class="loading">Loading…</p>);
}
