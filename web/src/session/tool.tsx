// A tool an agent used, as a card of its kind: a command with its output, a change as a difference, a list of tasks.
import type { ComponentChildren } from "preact";
import type { Entry } from "../api/types";
import { Markdown } from "../ui/markdown";
import { Code, Diff } from "../ui/parts";
import { printed, shown } from "../ui/shown";
import { Picture } from "./image";

type Fields = Record<string, unknown>;
/** More is folded; it can be opened. */
const LINES = 12;

export function Tool({ call, result, images }: { call: Entry; result: Entry | null; images: readonly Entry[] }) {
  const tool = shown(call.tool ?? "tool");
  const input = fields(call.input);
  const failed = result?.is_error === true;
  const state = result === null ? "running" : failed ? "failed" : "done";
  const { title, body, own } = look(tool, input);
  return (
    <section class={`tool ${state}`} aria-label={`${tool}: ${title}`}>
      <header>
        <span class="tool-name">{tool}</span>
        <code class="tool-title">{title}</code>
        <span class="tool-state">{state === "running" ? "…" : failed ? "failed" : ""}</span>
      </header>
      {body}
      {result && (!own || failed) && result.text && <Output text={printed(result.text)} />}
      {images.map((image) => (
        <Picture image={image} />
      ))}
    </section>
  );
}

interface Look {
  title: string;
  body: ComponentChildren;
  /** What it did is in the body: its result says nothing more. */
  own: boolean;
}

function look(tool: string, input: Fields): Look {
  const text = (key: string) => (typeof input[key] === "string" ? shown(input[key] as string) : "");
  const path = text("file_path") || text("notebook_path") || text("path");
  switch (tool) {
    case "Bash":
    case "shell":
    case "run_shell_command":
      return { title: first(text("command")), body: several(text("command")), own: false };
    case "Edit":
    case "replace":
      return { title: path, body: <Diff before={text("old_string")} after={text("new_string")} />, own: true };
    case "MultiEdit":
      return { title: path, body: edits(input["edits"]), own: true };
    case "Write":
    case "write_file":
      return { title: path, body: <Folded text={text("content")} label="What was written" />, own: true };
    case "Read":
    case "read_file":
      return { title: path, body: null, own: false };
    case "WebFetch":
    case "WebSearch":
      return { title: text("url") || text("query"), body: null, own: false };
    case "TodoWrite":
      return { title: "Tasks", body: <Todos todos={input["todos"]} />, own: true };
    case "ExitPlanMode":
      return { title: "Plan", body: <Markdown text={text("plan")} />, own: false };
    case "Task":
    case "Agent":
      return { title: text("description"), body: null, own: false };
    default:
      return { title: first(text("description") || path || brief(input)), body: whole(input), own: false };
  }
}

const first = (text: string) => text.split("\n", 1)[0] ?? "";
const several = (text: string) => (text.includes("\n") ? <Code text={text} label="Command" /> : null);
const brief = (input: Fields) => Object.keys(input).join(", ");

function whole(input: Fields) {
  return Object.keys(input).length > 0 ? <Folded text={shown(JSON.stringify(input, null, 2))} label="Input" /> : null;
}

function edits(all: unknown): ComponentChildren {
  const list = Array.isArray(all) ? (all as Fields[]) : [];
  return list.map((edit) => <Diff before={String(edit["old_string"] ?? "")} after={String(edit["new_string"] ?? "")} />);
}

function Todos({ todos }: { todos: unknown }) {
  const list = Array.isArray(todos) ? (todos as Fields[]) : [];
  const sign: Record<string, string> = { completed: "✓", in_progress: "▸" };
  return (
    <ul class="todos">
      {list.map((todo) => (
        <li class={String(todo["status"])}>
          <span aria-hidden="true">{sign[String(todo["status"])] ?? "○"}</span> {shown(String(todo["content"] ?? ""))}
        </li>
      ))}
    </ul>
  );
}

function Output({ text }: { text: string }) {
  return text.trim() === "" ? null : <Folded text={text} label="Output" />;
}

/** Long texts show their beginning, and how much more there is. */
function Folded({ text, label }: { text: string; label: string }) {
  const lines = text.split("\n");
  if (lines.length <= LINES) return <Code text={text} label={label} />;
  return (
    <details class="folded">
      <summary>
        <pre>{lines.slice(0, LINES - 4).join("\n")}</pre>
        <span class="plain">{lines.length - LINES + 4} more lines</span>
      </summary>
      <Code text={text} label={label} />
    </details>
  );
}

function fields(input: unknown): Fields {
  let value = input;
  if (typeof input === "string") {
    try {
      value = JSON.parse(input);
    } catch {
      value = { input };
    }
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}
