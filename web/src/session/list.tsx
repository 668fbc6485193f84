// A long list of which only what is near is drawn: in pieces, each of which keeps its height while it is away.
import { type ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Items of one piece. */
const PIECE = 40;
/** A guess, until a piece has been seen. */
const GUESS = 110;
/** So near to the end counts as there: then what is new is followed. */
const AT_END = 80;

interface Props<T> {
  items: readonly T[];
  draw: (item: T) => ComponentChildren;
  keyOf: (item: T) => string;
  /** The item to begin with, if not at the end. */
  goTo?: number | null;
}

export function LongList<T>({ items, draw, keyOf, goTo }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(goTo === null || goTo === undefined || goTo < 0);
  const [away, setAway] = useState(false);
  const pieces = Math.ceil(items.length / PIECE);
  const toEnd = () => {
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  // Also when something above the end gets its height.
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  });
  useEffect(() => {
    const inner = box.current?.firstElementChild;
    if (!inner) return;
    const watch = new ResizeObserver(() => follows.current && toEnd());
    watch.observe(inner);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (goTo === null || goTo === undefined || goTo < 0 || !box.current) return;
    box.current.querySelector(`[data-piece="${Math.floor(goTo / PIECE)}"]`)?.scrollIntoView({ block: "start" });
  }, [goTo]);
  const scrolled = () => {
    const el = box.current;
    if (!el) return;
    follows.current = el.scrollHeight - el.scrollTop - el.clientHeight < AT_END;
    setAway(!follows.current);
  };
  return (
    <div class="long">
      <div class="long-box" ref={box} onScroll={scrolled} tabIndex={0} role="log" aria-label="Conversation">
        <div>
          {Array.from({ length: pieces }, (_, at) => (
            <Piece
              key={at}
              at={at}
              last={at === pieces - 1}
              root={box}
              items={items.slice(at * PIECE, (at + 1) * PIECE)}
              draw={draw}
              keyOf={keyOf}
            />
          ))}
        </div>
      </div>
      {away && (
        <button
          type="button"
          class="to-end"
          onClick={() => {
            follows.current = true;
            toEnd();
          }}
        >
          ↓ to the end
        </button>
      )}
    </div>
  );
}

interface PieceProps<T> {
  at: number;
  last: boolean;
  root: { current: HTMLDivElement | null };
  items: readonly T[];
  draw: (item: T) => ComponentChildren;
  keyOf: (item: T) => string;
}

function Piece<T>({ at, last, root, items, draw, keyOf }: PieceProps<T>) {
  const own = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState(last);
  const height = useRef(items.length * GUESS);
  useEffect(() => {
    const el = own.current;
    if (!el) return;
    const watch = new IntersectionObserver(
      ([seen]) => {
        if (!seen) return;
        // Its height is kept before it goes.
        if (!seen.isIntersecting && el.offsetHeight > 0) height.current = el.offsetHeight;
        setNear(seen.isIntersecting);
      },
      { root: root.current, rootMargin: "1200px 0px" },
    );
    watch.observe(el);
    return () => watch.disconnect();
  }, []);
  const shown = near || last;
  return (
    <div ref={own} data-piece={at} style={shown ? undefined : { height: `${height.current}px` }}>
      {shown &&
        items.map((item) => (
          <div key={keyOf(item)} data-key={keyOf(item)}>
            {draw(item)}
          </div>
        ))}
    </div>
  );
}
