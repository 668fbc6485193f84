// What state a session was in, as a strip, and why that was believed.
import { useEffect, useState } from "preact/hooks";
import { get, words } from "../api/http";
import type { Moment, Session, Timeline as Told } from "../api/types";
import { Notice, StateMark } from "../ui/parts";
import { ago, clock, useNow } from "../ui/time";

export function Timeline({ session }: { session: Session }) {
  const [told, tell] = useState<Told | null>(null);
  const [failed, fail] = useState<string | null>(null);
  const now = useNow(1000);
  useEffect(() => {
    get<Told>(`/api/v1/sessions/${session.id}/timeline`).then(tell, (error) => fail(words(error)));
  }, [session.id, session.state, session.since_ms]);
  if (failed) return <Notice bad>{failed}</Notice>;
  if (!told) return <p class="loading">Loading…</p>;
  const end = session.control === "cold" ? session.since_ms : now;
  const moments = told.moments.filter((moment, at) => !same(moment, told.moments[at - 1]));
  const spans = moments.map((moment, at) => ({ moment, until: moments[at + 1]?.at_ms ?? end }));
  return (
    <div class="timeline">
      <Strip spans={spans} />
      {told.cut && <p class="dim">What was before is no longer kept.</p>}
      <ol>
        {spans.toReversed().map(({ moment, until }) => (
          <li key={`${moment.at_ms}${moment.state}`}>
            <time class="dim">{clock(moment.at_ms)}</time>
            <StateMark state={moment.state} />
            <span class="dim">{ago(moment.at_ms, until)}</span>
            <span class="why">
              {because(moment)} {moment.source && <span class="dim">({moment.source})</span>}
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** More became known about a prompt, and it is the same state for the same reason. */
function same(moment: Moment, before: Moment | undefined): boolean {
  return before !== undefined && moment.state === before.state && moment.reason === before.reason;
}

/** Reasons begin with the source that gave them, which is said behind them. */
function because({ reason, source }: Moment): string {
  const before = `${source}: `;
  return reason.startsWith(before) ? reason.slice(before.length) : reason;
}

type Span = { moment: Moment; until: number };

function Strip({ spans }: { spans: Span[] }) {
  const begin = spans[0]?.moment.at_ms ?? 0;
  const whole = Math.max(1, (spans.at(-1)?.until ?? 0) - begin);
  return (
    <div class="strip" role="img" aria-label="States over time">
      {spans.map(({ moment, until }) => (
        <span
          class={`span s-${moment.state}`}
          style={{ flexGrow: Math.max((until - moment.at_ms) / whole, 0.002) }}
          title={`${moment.state}: ${moment.reason}`}
        />
      ))}
    </div>
  );
}
