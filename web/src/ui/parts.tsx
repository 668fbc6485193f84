// Small things that are shown in many places.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { diff } from "./diff";
import { shown } from "./shown";

const STATES: Record<string, string> = {
  prompt: "asks",
  error: "failed",
  parked: "parked",
  idle: "idle",
  working: "working",
  starting: "starting",
  restarting: "restarting",
  exited: "ended",
  unknown: "unknown",
};

export function StateMark({ state }: { state: string }) {
  return (
    <span class={`mark mark-${state}`}>
      <span class="dot" aria-hidden="true" />
      {STATES[state] ?? state}
    </span>
  );
}

const CONTROLS: Record<string, [string, string]> = {
  owned: ["under coop", "coop holds its terminal: it can be answered, talked to and typed into"],
  attached: ["attached", "coop is attached to its terminal: it can be answered, talked to and typed into"],
  hooked: ["by its hooks", "it can be answered; it runs in a terminal of its own"],
  observed: ["only seen", "coop reads its files; it runs in a terminal of its own"],
  cold: ["ended", "its conversation can be read, and gone on with"],
};

/** How much can be done with a session. */
export function ControlMark({ control }: { control: string }) {
  const [words, why] = CONTROLS[control] ?? [control, ""];
  return (
    <span class="control" title={why}>
      {words}
    </span>
  );
}

export function Copy({ text }: { text: string }) {
  const [done, set] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      set(true);
      setTimeout(() => set(false), 1500);
    } catch {
      // Without leave, or without TLS, there is no clipboard; the text can be marked.
    }
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label="Copy">
      {done ? "copied" : "copy"}
    </button>
  );
}

export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <Copy text={text} />
    </div>
  );
}

export function Diff({ before, after }: { before: string; after: string }) {
  const sign = { same: " ", old: "-", new: "+" } as const;
  return (
    <pre class="diff" tabIndex={0} role="region" aria-label="Difference">
      {diff(shown(before), shown(after)).map((line) => (
        <span class={`line ${line.is}`}>
          <span class="sign">{sign[line.is]} </span>
          {line.text}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

export function Notice({ children, bad }: { children: ComponentChildren; bad?: boolean }) {
  return (
    <p class={bad ? "notice bad" : "notice"} role={bad ? "alert" : "status"}>
      {children}
    </p>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
