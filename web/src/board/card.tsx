// One agent on the board: what it is, what it says now, and for how long.
import type { Session } from "../api/types";
import { ControlMark, StateMark } from "../ui/parts";
import { ago } from "../ui/time";

export function Card({ session, chosen, now }: { session: Session; chosen: boolean; now: number }) {
  const where = [session.project, session.branch].filter(Boolean).join(" · ");
  const says = said(session);
  return (
    <li class={`card is-${session.attention}${chosen ? " chosen" : ""}`}>
      <a href={`#/session/${session.id}`} aria-current={chosen ? "page" : undefined}>
        <span class="card-line">
          <StateMark state={session.state} />
          <span class="title">{name(session)}</span>
          {session.unseen && <span class="unseen">new</span>}
          <time class="since">{ago(session.since_ms, now)}</time>
        </span>
        {says && <span class="says">{says}</span>}
        <span class="about">
          <span>{where}</span>
          <span>{[session.agent, session.model].filter(Boolean).join(" · ")}</span>
          <ControlMark control={session.control} />
        </span>
      </a>
    </li>
  );
}

export function name(session: Session): string {
  return session.title ?? session.project ?? `${session.agent} ${session.id}`;
}

/** The one line that tells most. */
function said(session: Session): string | null {
  const prompt = session.prompt;
  if (prompt?.type === "plan") return `Plan: ${prompt.summary ?? ""}`;
  if (prompt?.question) return prompt.question;
  if (prompt) return [prompt.tool, prompt.input ?? prompt.message].filter(Boolean).join(": ");
  if (session.error) return `${session.error.kind}: ${session.error.detail}`;
  return session.last_message ?? null;
}
