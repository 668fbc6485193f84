// Decides what is shown: the way in, one session, or the board.
import { useEffect, useState } from "preact/hooks";
import { get, words } from "./api/http";
import type { About } from "./api/types";
import { Board } from "./board/board";
import { Top } from "./board/top";
import { notify } from "./notify/notify";
import { Pair } from "./pair/pair";
import { Login } from "./pair/login";
import { Gone } from "./prompt/gone";
import { Panel } from "./prompt/panel";
import { Live } from "./store/live";
import { store, useKnown } from "./store/store";
import { later } from "./ui/later";
import { Empty, Notice } from "./ui/parts";
import { useRoute } from "./ui/route";

const SessionPage = later(async () => (await import("./session/page")).SessionPage);
const Alone = later(async () => (await import("./session/alone")).Alone);
const More = later(async () => (await import("./more/more")).More);

export function App() {
  const about = useKnown((state) => state.about);
  const [failed, fail] = useState<string | null>(null);
  useEffect(() => {
    let timer = 0;
    const ask = () =>
      get<About>("/app.json").then(
        (about) => {
          fail(null);
          store.tell({ type: "about", about });
        },
        (error) => {
          fail(words(error));
          timer = window.setTimeout(ask, 2000);
        },
      );
    void ask();
    return () => clearTimeout(timer);
  }, []);
  if (!about) return <main class="way-in">{failed ? <Notice bad>{failed} Trying again…</Notice> : <p>Loading…</p>}</main>;
  if (location.pathname === "/pair" || (about.serves === "hub" && !about.scope)) return <Pair />;
  if (!about.scope) return <Login />;
  return about.serves === "session" ? <Alone about={about} /> : <Hub />;
}

function Hub() {
  const route = useRoute();
  useEffect(() => {
    const live = new Live(store);
    live.start();
    const quiet = "serviceWorker" in navigator ? notify(store) : () => undefined;
    return () => {
      quiet();
      live.stop();
    };
  }, []);
  const session = route.page === "session" ? route.id : undefined;
  return (
    <div class={`app on-${route.page === "board" ? "board" : "page"}`}>
      <Top route={route} />
      <div class="panes">
        <Board chosen={session} />
        <main class="page" id="page">
          {route.page === "board" && <Nothing />}
          {route.page === "session" && <SessionPage key={route.id} id={route.id} tab={route.tab} line={route.line} />}
          {route.page !== "board" && route.page !== "session" && <More page={route.page} />}
        </main>
      </div>
      <Gone />
      <Panel session={session} />
    </div>
  );
}

function Nothing() {
  return (
    <Empty title="Choose a session">
      <p>Its conversation, its terminal and what it did are shown here.</p>
    </Empty>
  );
}
