// A box with a text that may be longer than the box: below it stands how many lines are not seen.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { rest, restWords } from "./rest";

export function Whole({ children }: { children: ComponentChildren }) {
  const frame = useRef<HTMLDivElement>(null);
  const [words, say] = useState<string | null>(null);
  const look = () => {
    const box = frame.current?.querySelector<HTMLElement>("pre, .plan");
    if (!box) return;
    const line = Number.parseFloat(getComputedStyle(box).lineHeight) || 20;
    const left = rest({ top: box.scrollTop, height: box.clientHeight, whole: box.scrollHeight, line });
    say(left && restWords(left));
  };
  // Before the paint: the line below does not move what is painted.
  useLayoutEffect(look);
  useLayoutEffect(() => {
    const el = frame.current;
    if (!el) return;
    const watch = new ResizeObserver(look);
    for (const part of el.querySelectorAll("pre, .plan, .plan > *")) watch.observe(part);
    // A scroll does not bubble.
    el.addEventListener("scroll", look, true);
    return () => {
      watch.disconnect();
      el.removeEventListener("scroll", look, true);
    };
  }, []);
  return (
    <div class="whole" ref={frame}>
      {children}
      {words !== null && <p class="rest">{words}</p>}
    </div>
  );
}
