// Markdown of an agent, as harmless HTML. The reader of it is fetched when there is something to read; until then, and
// if it cannot be had, the text is shown as it is.
import { useEffect, useState } from "preact/hooks";

type Render = (text: string) => string;
let render: Render | null = null;
let loading: Promise<void> | null = null;

function load(): Promise<void> {
  loading ??= import("./render").then(
    (found) => {
      render = found.render;
    },
    () => {
      loading = null;
    },
  );
  return loading;
}

export function Markdown({ text }: { text: string }) {
  const [, draw] = useState(0);
  useEffect(() => {
    if (!render) void load().then(() => draw((count) => count + 1));
  }, []);
  if (!render) return <div class="markdown plain-text">{text}</div>;
  return <div class="markdown" dangerouslySetInnerHTML={{ __html: render(text) }} />;
}
