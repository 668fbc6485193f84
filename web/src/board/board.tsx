// Every agent on one list, who needs a person first.
import { useState } from "preact/hooks";
import type { Session } from "../api/types";
import { sorted } from "../store/order";
import { useKnown } from "../store/store";
import { Empty } from "../ui/parts";
import { useNow } from "../ui/time";
import { Card } from "./card";

const GROUPS: [string, string[]][] = [
  ["Needs you", ["asks", "failed"]],
  ["Done", ["done"]],
  ["Resting", ["parked", "rests"]],
  ["Working", ["works"]],
];
/** Of those that have ended, so many are shown at first. */
const FEW = 8;

export function Board({ chosen }: { chosen: number | undefined }) {
  const state = useKnown((state) => state);
  const now = useNow(1000);
  const all = sorted(state);
  const over = all.filter((session) => session.attention === "over");
  return (
    <section class="board" aria-label="Board" aria-busy={!state.loaded}>
      <div class="board-head">
        <h1>{summary(all)}</h1>
        <a class="button small" href="#/new">
          New session
        </a>
      </div>
      {state.loaded && all.length === 0 && <NoAgents />}
      {GROUPS.map(([name, attention]) => {
        const some = all.filter((session) => attention.includes(session.attention));
        return some.length > 0 && <Group key={name} name={name} sessions={some} chosen={chosen} now={now} />;
      })}
      {over.length > 0 && <Over sessions={over} chosen={chosen} now={now} />}
    </section>
  );
}

type Some = { sessions: Session[]; chosen: number | undefined; now: number };

function Group({ name, sessions, chosen, now }: Some & { name: string }) {
  return (
    <section class="group" aria-label={name}>
      <h2>
        {name} <span class="count">{sessions.length}</span>
      </h2>
      <ul>
        {sessions.map((session) => (
          <Card key={session.id} session={session} chosen={session.id === chosen} now={now} />
        ))}
      </ul>
    </section>
  );
}

function Over({ sessions, chosen, now }: Some) {
  const [all, show] = useState(false);
  const some = all ? sessions : sessions.slice(0, FEW);
  return (
    <>
      <Group name="Ended" sessions={some} chosen={chosen} now={now} />
      {sessions.length > some.length && (
        <button type="button" class="plain" onClick={() => show(true)}>
          Show {sessions.length - some.length} more
        </button>
      )}
    </>
  );
}

function summary(all: Session[]): string {
  const count = (attention: string) => all.filter((session) => session.attention === attention).length;
  const asks = count("asks");
  const failed = count("failed");
  if (asks > 0) return asks === 1 ? "1 agent asks you" : `${asks} agents ask you`;
  if (failed > 0) return failed === 1 ? "1 agent failed" : `${failed} agents failed`;
  const works = count("works");
  if (works > 0) return works === 1 ? "1 agent works" : `${works} agents work`;
  return "Nobody needs you";
}

function NoAgents() {
  return (
    <Empty title="No agents yet">
      <p>
        Start one here, or in a terminal: <code>coop run -- claude</code>. Every Claude Code on the machine of the hub is
        shown by itself.
      </p>
    </Empty>
  );
}
