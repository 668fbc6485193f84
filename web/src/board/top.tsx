// The line above everything: where one is, and whether what is shown is true now.
import { useKnown } from "../store/store";
import type { Route } from "../ui/route";
import { ago, useNow } from "../ui/time";

const LINKS = [
  ["search", "Search"],
  ["history", "History"],
  ["rules", "Rules"],
  ["play", "Play"],
  ["devices", "Devices"],
  ["settings", "Settings"],
] as const;

export function Top({ route }: { route: Route }) {
  const waiting = useKnown((state) => state.prompts.size);
  const title = waiting > 0 ? `(${waiting}) coop` : "coop";
  if (document.title !== title) document.title = title;
  return (
    <header class="top">
      <a class="brand" href="#/" aria-label="coop: the board">
        <img src="/icon.svg" alt="" width="26" height="26" />
        <span>coop</span>
      </a>
      <Truth />
      <nav class="links" aria-label="Pages">
        {LINKS.map(([page, name]) => (
          <a href={`#/${page}`} aria-current={route.page === page ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <details class="menu">
        <summary aria-label="Menu">Menu</summary>
        <nav aria-label="Menu">
          <a href="#/new">Start a session</a>
          {LINKS.map(([page, name]) => (
            <a href={`#/${page}`}>{name}</a>
          ))}
        </nav>
      </details>
    </header>
  );
}

function Truth() {
  const link = useKnown((state) => state.link);
  const now = useNow(1000);
  if (link.is === "live") return <span class="truth live" role="status">live</span>;
  if (link.is === "connecting") return <span class="truth" role="status">connecting…</span>;
  if (link.is === "refused") return <span class="truth stale" role="status">not paired any more</span>;
  return (
    <span class="truth stale" role="status">
      stale for {ago(link.since, now)}, reconnecting…
    </span>
  );
}
