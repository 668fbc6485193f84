// What is kept in this browser, and leaving.
import { useState } from "preact/hooks";
import { post, words } from "../api/http";
import { keepKey } from "../api/key";
import type { Scope } from "../api/types";
import { wanted, want } from "../notify/notify";
import { canPush, subscribe } from "../notify/push";
import { useKnown } from "../store/store";
import { Notice } from "../ui/parts";

const THEMES = [
  ["", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

function Notifications() {
  const [on, set] = useState(wanted);
  const [refused, refuse] = useState<string | null>(null);
  const change = async () => {
    const now = await want(!on);
    set(now);
    refuse(!on && !now ? "The browser does not allow it. It needs https, or this machine, and your leave." : null);
    if (!now || !canPush()) return;
    await subscribe().catch((error) => refuse(`Only while the app is open: ${words(error)}`));
  };
  return (
    <>
      <p class="dim">What is asked is told while you look elsewhere, also when the app is closed, with buttons to answer it.</p>
      <p>
        <button type="button" class="button small" aria-pressed={on} onClick={change}>
          {on ? "Notifications are on" : "Switch notifications on"}
        </button>
      </p>
      {refused && <Notice bad>{refused}</Notice>}
    </>
  );
}

const MAY: Record<Scope, string> = {
  view: "may look",
  answer: "may look and answer",
  drive: "may look, answer, talk to agents and type into their terminals",
  admin: "may do everything",
  hooks: "may report",
};

export function Settings() {
  const about = useKnown((state) => state.about);
  const [theme, setTheme] = useState(document.documentElement.dataset["theme"] ?? "");
  const choose = (theme: string) => {
    setTheme(theme);
    if (theme) {
      document.documentElement.dataset["theme"] = theme;
      localStorage.setItem("coop.theme", theme);
    } else {
      delete document.documentElement.dataset["theme"];
      localStorage.removeItem("coop.theme");
    }
  };
  const leave = async () => {
    await post("/logout").catch(() => undefined);
    keepKey(undefined);
    location.replace("/");
  };
  return (
    <>
      <h2>Colours</h2>
      <div class="line">
        {THEMES.map(([value, name]) => (
          <button type="button" class="button small" aria-pressed={theme === value} onClick={() => choose(value)}>
            {name}
          </button>
        ))}
      </div>
      <h2>Notifications</h2>
      <Notifications />
      <h2>This device</h2>
      <p>
        {about?.device ? `It is “${about.device.name}”` : "It has a token of the hub"}, and{" "}
        {MAY[about?.scope ?? "view"]}.
      </p>
      <p class="dim">coop {about?.version}</p>
      <p>
        <button type="button" class="button small danger" onClick={leave}>
          Forget the token in this browser
        </button>
      </p>
    </>
  );
}
