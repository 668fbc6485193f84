// One thing of a conversation.
import { Copy } from "../ui/parts";
import { Markdown } from "../ui/markdown";
import { shown } from "../ui/shown";
import type { Item } from "./fold";
import { Picture } from "./image";
import { Tool } from "./tool";

export function One({ item }: { item: Item }) {
  switch (item.is) {
    case "text":
      return item.who === "user" ? <Said text={item.text} /> : <Answer text={item.text} />;
    case "thinking":
      return (
        <details class="thinking">
          <summary>Thinking</summary>
          <Markdown text={item.text} />
        </details>
      );
    case "tool":
      return <Tool call={item.call} result={item.result} images={item.images} />;
    case "image":
      return (
        <div class="said">
          <Picture image={item.image} />
        </div>
      );
    case "agent":
      return (
        <details class="subagent">
          <summary>
            Subagent <span class="dim">{item.items.length} steps</span>
          </summary>
          {item.items.map((inner) => (
            <One key={inner.key} item={inner} />
          ))}
        </details>
      );
    case "mark":
      return <Mark kind={item.kind} text={item.text} />;
  }
}

function Said({ text }: { text: string }) {
  return (
    <div class="said">
      <div class="bubble">{shown(text)}</div>
    </div>
  );
}

function Answer({ text }: { text: string }) {
  return (
    <div class="answer">
      <Markdown text={text} />
      <Copy text={text} />
    </div>
  );
}

const MARKS = { error: "Error", interrupted: "Interrupted", compaction: "The conversation was shortened here", result: "Result" };

function Mark({ kind, text }: { kind: keyof typeof MARKS; text: string }) {
  if (kind === "compaction") {
    return (
      <details class="mark-line">
        <summary>{MARKS[kind]}</summary>
        <Markdown text={text} />
      </details>
    );
  }
  return (
    <p class={`mark-line ${kind}`}>
      <strong>{MARKS[kind]}</strong> {shown(text)}
    </p>
  );
}
