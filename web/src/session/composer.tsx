// Saying something to an agent: at once when it rests, and else when it is done, unless it should be now.
import { useState } from "preact/hooks";
import { Refused, post, words } from "../api/http";
import { type Nudged, opens } from "../api/types";
import { useKnown } from "../store/store";
import { Notice } from "../ui/parts";

interface Waiting {
  key: number;
  text: string;
}

let count = 0;

export function Composer({ base, state, agent }: { base: string; state: string; agent: string }) {
  const scope = useKnown((state) => state.about?.scope ?? null);
  const [text, setText] = useState("");
  const [queue, setQueue] = useState<Waiting[]>([]);
  const [failed, fail] = useState<string | null>(null);
  if (!opens(scope, "drive")) {
    return <p class="composer dim">This device may not talk to agents: coop pair --scope drive gives one that may.</p>;
  }
  const busy = state === "working";
  const send = async (when: "idle" | "now") => {
    const message = text.trim();
    if (!message) return;
    const waiting = { key: count++, text: message };
    setText("");
    fail(null);
    setQueue((queue) => [...queue, waiting]);
    try {
      const nudged = await post<Nudged>(`${base}/agent/nudge`, { message, when, timeout_secs: 3600 });
      if (!nudged.delivered) throw new Error(nudged.reason ?? "It is not certain that it arrived.");
    } catch (error) {
      fail(words(error));
      // What was typed is not lost; somebody may have gone on typing.
      if (!(error instanceof Refused && error.status === 0)) setText((now) => now || message);
    }
    setQueue((queue) => queue.filter((one) => one !== waiting));
  };
  const typed = (event: KeyboardEvent) => {
    const plain = !event.shiftKey && !event.isComposing;
    if (event.key !== "Enter" || !plain || matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    void send("idle");
  };
  return (
    <div class="composer">
      {queue.map((one) => (
        <p key={one.key} class="queued">
          <span class="dim">{busy ? "waits for its turn:" : "on its way:"}</span> {one.text}
        </p>
      ))}
      {failed && <Notice bad>{failed}</Notice>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send("idle");
        }}
      >
        <textarea
          rows={1}
          value={text}
          aria-label={`Message to ${agent}`}
          placeholder={busy ? "Message, for when it is done" : "Message"}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={typed}
        />
        {busy && (
          <button type="button" class="button small" disabled={!text.trim()} onClick={() => send("now")}>
            Now
          </button>
        )}
        <button class="button small primary" disabled={!text.trim()}>
          {busy ? "Queue" : "Send"}
        </button>
      </form>
    </div>
  );
}
