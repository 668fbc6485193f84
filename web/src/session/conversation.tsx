// The conversation of a session, as it grows.
import type { Session } from "../api/types";
import { Empty, Notice } from "../ui/parts";
import type { Item } from "./fold";
import { useTalk } from "./follow";
import { One } from "./item";
import { LongList } from "./list";

interface Props {
  base: string;
  state: string;
  over: boolean;
  /** Changes whenever the session tells of something. */
  beat: Session | string | undefined;
  line: number | null;
}

const keyOf = (item: Item) => item.key;
const draw = (item: Item) => <One item={item} />;

export function Conversation({ base, state, over, beat, line }: Props) {
  const working = state === "working" || state === "starting";
  const { talk, failed } = useTalk(base, working, over, beat);
  if (failed && talk.items.length === 0) return <Empty title="No conversation"><p>{failed}</p></Empty>;
  if (!talk.whole && talk.items.length === 0) return <p class="loading">Loading…</p>;
  if (talk.items.length === 0) return <Empty title="Nothing was said yet" />;
  const goTo = line === null ? null : talk.items.findIndex((item) => item.line >= line);
  return (
    <>
      {failed && <Notice bad>{failed}</Notice>}
      <LongList items={talk.items} draw={draw} keyOf={keyOf} goTo={goTo} />
      <p class="used" aria-live="off">
        {working && <span class="typing">working…</span>}
        <span>{tokens(talk.usage?.output_tokens)}</span>
        {talk.cost && <span>{talk.cost.estimate ? "about " : ""}${talk.cost.usd.toFixed(2)}</span>}
      </p>
    </>
  );
}

function tokens(count: number | undefined): string {
  if (!count) return "";
  return count < 1000 ? `${count} tokens written` : `${(count / 1000).toFixed(1)}k tokens written`;
}
