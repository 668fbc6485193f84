// Reads a conversation to its end, and on: whenever the session tells of something, and now and then.
import { useEffect, useRef, useState } from "preact/hooks";
import { Refused, get, words } from "../api/http";
import type { Conversation } from "../api/types";
import { type Talk, fold, nothing } from "./fold";

const PAGE = 1000;
/** While it works, what it says is in its log before anybody tells of it. */
const WORKING_MS = 700;
const RESTING_MS = 4000;

export interface Followed {
  talk: Talk;
  failed: string | null;
}

/** `beat` changes whenever there may be something new. `base` is where the requests of the session are. */
export function useTalk(base: string, working: boolean, over: boolean, beat: unknown): Followed {
  const [talk, set] = useState<Talk>(nothing);
  const [failed, fail] = useState<string | null>(null);
  const reader = useRef<Reader | null>(null);
  useEffect(() => {
    const own = new Reader(base, set, fail);
    reader.current = own;
    const events = over ? null : new EventSource(`${base}/events`);
    for (const name of ["hook", "state_change", "prompt", "prompt_resolved", "resume"]) {
      events?.addEventListener(name, () => own.look());
    }
    // A session without a sidecar has no events of its own, and those of the hub are enough.
    events?.addEventListener("error", () => events.readyState === EventSource.CLOSED && events.close());
    return () => {
      own.stop();
      events?.close();
    };
  }, [base]);
  useEffect(() => void reader.current?.look(), [base, beat]);
  useEffect(() => {
    if (over) return;
    const timer = setInterval(() => !document.hidden && reader.current?.look(), working ? WORKING_MS : RESTING_MS);
    return () => clearInterval(timer);
  }, [base, working, over]);
  return { talk, failed };
}

/** One request at a time, so that nothing comes twice; who asks meanwhile is served by the next. */
class Reader {
  private talk: Talk = nothing;
  private busy = false;
  private again = false;
  private readonly abort = new AbortController();

  constructor(
    private readonly base: string,
    private readonly show: (talk: Talk) => void,
    private readonly fail: (why: string | null) => void,
  ) {}

  stop(): void {
    this.abort.abort();
  }

  look(): void {
    this.again = true;
    if (!this.busy) void this.run();
  }

  private async run(): Promise<void> {
    this.busy = true;
    while (this.again && !this.abort.signal.aborted) {
      this.again = false;
      try {
        await this.read();
      } catch (error) {
        if (this.abort.signal.aborted) return;
        // The board says that coop is away; what cannot be read at all is said here.
        const unreachable = error instanceof Refused && (error.status === 0 || error.status >= 500);
        if (!unreachable) this.fail(words(error));
      }
    }
    this.busy = false;
  }

  private async read(): Promise<void> {
    for (;;) {
      const after = this.talk.next;
      const page = await get<Conversation>(`${this.base}/conversation?after=${after}&limit=${PAGE}&images=true`, this.abort.signal);
      const before = this.talk;
      this.talk = fold(before, after, page);
      this.fail(null);
      if (page.entries.length > 0 || !before.whole || this.talk.id !== before.id) this.show(this.talk);
      const anew = this.talk === nothing;
      if (!page.more && !anew) return;
    }
  }
}
