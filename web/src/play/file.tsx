// A recording out of a file that somebody has. It is read here, and sent to nobody.
import { useEffect, useRef, useState } from "preact/hooks";
import { words } from "../api/http";
import { Notice } from "../ui/parts";
import { dated } from "../ui/time";
import { shown } from "../ui/shown";
import type { Cast } from "./cast";
import { loadFile } from "./load";
import { Show } from "./show";
import "../styles/play.css";

type State = { is: "none" } | { is: "reading"; name: string } | { is: "failed"; why: string } | { is: "read"; name: string; cast: Cast };

export function PlayFile() {
  const [state, set] = useState<State>({ is: "none" });
  /** The one that was chosen last. */
  const last = useRef<File | null>(null);
  const open = (file: File | null | undefined) => {
    if (!file) return;
    last.current = file;
    const name = shown(file.name);
    const told = (state: State) => last.current === file && set(state);
    told({ is: "reading", name });
    loadFile(file).then(
      (cast) => told({ is: "read", name, cast }),
      (error) => told({ is: "failed", why: `${name} cannot be played: ${words(error)}.` }),
    );
  };
  useDrop(open);
  return (
    <div class="play-file">
      <p class="dim">
        A recording of <code>coop record</code>, or any asciicast of version 2 or 3. The file stays in this browser: nothing of it is sent.
      </p>
      <div class="choose">
        <label class="button small">
          Choose a file
          <input
            type="file"
            class="hidden"
            onChange={(event) => {
              const input = event.currentTarget;
              open(input.files?.[0]);
              // So that the same one can be chosen again.
              input.value = "";
            }}
          />
        </label>
        <span class="dim">or drop one here</span>
      </div>
      {state.is === "reading" && <Notice>Reading {state.name}…</Notice>}
      {state.is === "failed" && <Notice bad>{state.why}</Notice>}
      {state.is === "read" && <About name={state.name} cast={state.cast} />}
      {state.is === "read" && <Show cast={state.cast} />}
    </div>
  );
}

function About({ name, cast: { head, events, cut } }: { name: string; cast: Cast }) {
  const said = [head.title && shown(head.title), head.timestamp && dated(head.timestamp * 1000), `${head.size.cols} × ${head.size.rows}`];
  return (
    <p role="status">
      <strong>{name}</strong> <span class="dim">{said.filter(Boolean).join(" · ")}</span>
      {cut && " · Its last line is not whole, and left out."}
      {events.length === 0 && " · Nothing happens in it."}
    </p>
  );
}

/** A file that is dropped anywhere on the page; without this, the browser would go to it. */
function useDrop(open: (file: File | undefined) => void): void {
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    const over = (event: DragEvent) => event.preventDefault();
    const drop = (event: DragEvent) => {
      event.preventDefault();
      latest.current(event.dataTransfer?.files[0]);
    };
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, []);
}
