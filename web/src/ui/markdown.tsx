// Markdown of an agent, as harmless HTML. The reader of it is fetched when there is something to read; until then, and
// if it cannot be had, the text is shown as it is.
import { useEffect, useMemo, useState } from "preact/hooks";
import { exact, shown } from "./shown";

type Reader = typeof import("./render");
let reader: Reader | null = null;
let loading: Promise<void> | null = null;

function load(): Promise<void> {
  loading ??= import("./render").then(
    (found) => {
      reader = found;
    },
    () => {
      loading = null;
    },
  );
  return loading;
}

function useReader(): Reader | null {
  const [, draw] = useState(0);
  useEffect(() => {
    if (!reader) void load().then(() => draw((count) => count + 1));
  }, []);
  return reader;
}

export function Markdown({ text }: { text: string }) {
  const reader = useReader();
  if (!reader) return <div class="markdown plain-text">{shown(text)}</div>;
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: reader.render(text) }} />;
}

/** Markdown that is approved. Where the format would hide a word, the text is shown as it was written. */
export function WholeMarkdown({ text }: { text: string }) {
  const reader = useReader();
  const html = useMemo(() => reader?.renderWhole(text) ?? null, [reader, text]);
  if (html === null) return <div class="markdown plain-text">{exact(text)}</div>;
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}
