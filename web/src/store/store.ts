// One owner of what the app knows: facts go in, whoever shows something hears of it.
import { useEffect, useState } from "preact/hooks";
import { reduce } from "./reduce";
import { type Fact, type State, initial } from "./state";

export class Store {
  private state: State = initial;
  private readonly listeners = new Set<() => void>();

  get now(): State {
    return this.state;
  }

  /** Returns whether the fact has changed anything. */
  tell(fact: Fact): boolean {
    const next = reduce(this.state, fact);
    if (next === this.state) return false;
    this.state = next;
    for (const listener of [...this.listeners]) listener();
    return true;
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export const store = new Store();

/** A part of what is known; the component is drawn again when that part changes. */
export function useKnown<T>(pick: (state: State) => T): T {
  const [, draw] = useState(0);
  const value = pick(store.now);
  useEffect(() => {
    let last = pick(store.now);
    // It may have changed between drawing and now.
    if (last !== value) draw((count) => count + 1);
    return store.listen(() => {
      const next = pick(store.now);
      if (next !== last) {
        last = next;
        draw((count) => count + 1);
      }
    });
  }, []);
  return value;
}
