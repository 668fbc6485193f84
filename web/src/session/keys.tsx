// Keys that the keyboard of a phone does not have.
import { happened, ready } from "../store/guard";
import { store } from "../store/store";

const KEYS: [string, string, string][] = [
  ["Esc", "Escape", "Esc"],
  ["Tab", "Tab", "Tab"],
  ["⇧Tab", "Shift-Tab", "Shift and Tab"],
  ["^C", "Ctrl-C", "Control and C"],
  ["↑", "Up", "Up"],
  ["↓", "Down", "Down"],
  ["←", "Left", "Left"],
  ["→", "Right", "Right"],
  ["⏎", "Enter", "Enter"],
];

/** A tap that was meant for a card which has just left its place presses no key. */
function counts(event: Event): boolean {
  return happened(event.timeStamp, performance.now()) >= ready(store.now.guard);
}

export function Keys({ press }: { press: (key: string) => void }) {
  return (
    <div class="keys" role="toolbar" aria-label="Keys">
      {KEYS.map(([sign, key, name]) => (
        // The keyboard of the phone stays as it is.
        <button
          type="button"
          aria-label={name}
          onPointerDown={(event) => event.preventDefault()}
          onClick={(event) => counts(event) && press(key)}
        >
          {sign}
        </button>
      ))}
    </div>
  );
}
