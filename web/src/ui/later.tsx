// Parts of the app that are fetched when they are needed.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Notice } from "./parts";

export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | null = null;
  return function Later(props: P) {
    const [, draw] = useState(0);
    const [failed, fail] = useState(false);
    useEffect(() => {
      if (loaded) return;
      load().then(
        (found) => {
          loaded = found;
          draw((count) => count + 1);
        },
        () => fail(true),
      );
    }, []);
    if (failed) return <Notice bad>This part could not be loaded. Reload the page when coop can be reached.</Notice>;
    const Part = loaded;
    return Part ? <Part {...props} /> : <p class="loading">Loading…</p>;
  };
}
