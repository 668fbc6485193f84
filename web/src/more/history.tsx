// Who answered what, when, and from where.
import { useKnown } from "../store/store";
import type { Settled } from "../api/types";
import { Empty } from "../ui/parts";
import { dated } from "../ui/time";
import { brief } from "./brief";
import { Waiting, useTold } from "./told";

export function History() {
  const settled = useKnown((state) => state.gone);
  const { told, failed } = useTold<{ history: Settled[] }>("/api/v1/history?limit=200", settled);
  if (!told) return <Waiting failed={failed} />;
  if (told.history.length === 0) return <Empty title="Nothing was asked yet" />;
  return (
    <ul class="rows">
      {told.history.map((one) => (
        <li key={one.id}>
          <a href={`#/session/${one.session}`}>
            <span class="line">
              <strong class={`outcome ${one.outcome}`}>{one.outcome}</strong>
              <span>{one.tool || one.kind}</span>
              <time class="dim">{dated(one.ended_ms)}</time>
            </span>
            <code class="found" title={one.text}>
              {brief(one.text)}
            </code>
            <span class="dim">
              by {one.by}
              {one.from && one.from !== "tcp" ? `, over ${one.from}` : ""}
              {one.answer ? `: ${one.answer}` : ""}
              {one.remembered ? `; remembered: ${one.remembered}` : ""}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
