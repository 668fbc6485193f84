// Words, wherever they were said or done.
import { useState } from "preact/hooks";
import { get, words } from "../api/http";
import type { SearchResults } from "../api/types";
import { Empty, Notice } from "../ui/parts";

type Hit = SearchResults["hits"][number];

export function Search() {
  const [query, setQuery] = useState("");
  const [found, tell] = useState<SearchResults | null>(null);
  const [busy, setBusy] = useState(false);
  const [failed, fail] = useState<string | null>(null);
  const look = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    fail(null);
    try {
      tell(await get<SearchResults>(`/api/v1/search?q=${encodeURIComponent(query)}`));
    } catch (error) {
      fail(words(error));
    }
    setBusy(false);
  };
  return (
    <>
      <form class="row" role="search" onSubmit={look}>
        <input
          type="search"
          aria-label="Words"
          placeholder="Words, in any order"
          value={query}
          required
          onInput={(event) => setQuery(event.currentTarget.value)}
        />
        <button class="button small primary" disabled={busy}>
          {busy ? "Looking…" : "Search"}
        </button>
      </form>
      {failed && <Notice bad>{failed}</Notice>}
      {found?.hits.length === 0 && <Empty title="Nothing was found" />}
      <ul class="rows">{found?.hits.map((hit, at) => <One key={at} hit={hit} />)}</ul>
      {found && !found.complete && <p class="dim">There may be more: these are the first that were found.</p>}
    </>
  );
}

function One({ hit }: { hit: Hit }) {
  const place = hit.line === null || hit.line === undefined ? "" : `/conversation?line=${hit.line}`;
  return (
    <li>
      <a href={`#/session/${hit.session}${place}`}>
        <span class="dim">
          {hit.title ?? hit.project ?? `session ${hit.session}`} · {hit.kind.replace("_", " ")}
        </span>
        <span class="found">{hit.text}</span>
      </a>
    </li>
  );
}
