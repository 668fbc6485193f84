// A session that serves itself, without a hub: its conversation and its terminal.
import { useEffect, useState } from "preact/hooks";
import { get, post, words } from "../api/http";
import type { About, AgentState } from "../api/types";
import { store } from "../store/store";
import { later } from "../ui/later";
import { Notice, StateMark } from "../ui/parts";
import { useRoute } from "../ui/route";
import { AlonePrompt } from "./alone-prompt";
import { Composer } from "./composer";
import { Conversation } from "./conversation";
import "../styles/more.css";
import "../styles/session.css";

const Terminal = later(async () => (await import("./terminal")).Terminal);
const Recording = later(async () => (await import("../play/recording")).Recording);
const PlayFile = later(async () => (await import("../play/file")).PlayFile);
const BASE = "/api/v1";

type Tab = "conversation" | "terminal" | "recording";

export function Alone({ about }: { about: About }) {
  const [agent, failed] = useAgent();
  const known = agent?.capabilities?.conversation === true;
  const [tab, choose] = useState<Tab | null>(null);
  const now = tab ?? (known ? "conversation" : "terminal");
  const route = useRoute();
  if (route.page === "play") return <File />;
  const pick = (tab: Tab, name: string) => (
    <button type="button" aria-pressed={now === tab} onClick={() => choose(tab)}>
      {name}
    </button>
  );
  return (
    <div class="app alone">
      <main class="session">
        <header class="session-head">
          <div class="session-title">
            <h1>{about.session?.name}</h1>
            <p class="dim">
              {agent && <StateMark state={agent.state} />} {[agent?.agent, agent?.model].filter(Boolean).join(" · ")}
            </p>
          </div>
          {agent?.capabilities?.interrupt && (
            <div class="actions">
              <button type="button" class="button small" onClick={() => void post(`${BASE}/agent/interrupt`).catch(() => undefined)}>
                Interrupt
              </button>
            </div>
          )}
        </header>
        {failed && <Notice bad>{failed}</Notice>}
        <nav class="tabs" aria-label="What is shown">
          {known && pick("conversation", "Conversation")}
          {pick("terminal", "Terminal")}
          {pick("recording", "Recording")}
        </nav>
        <div class="tab" data-tab={now}>
          {now === "conversation" && agent && (
            <Conversation base={BASE} state={agent.state} over={agent.state === "exited"} beat={`${agent.state_seq}`} line={null} />
          )}
          {now === "terminal" && <Terminal base="" types />}
          {now === "recording" && <Recording base={BASE} />}
        </div>
        {known && now === "conversation" && agent && <Composer base={BASE} state={agent.state} agent={agent.agent} />}
      </main>
      {agent?.prompt && <AlonePrompt key={agent.prompt.prompt_id} prompt={agent.prompt} />}
    </div>
  );
}

/** A recording of any session. */
function File() {
  return (
    <div class="app alone on-page">
      <main class="page">
        <div class="more">
          <header class="more-head">
            <a class="back" href="#/" aria-label="Back to the session">
              ‹
            </a>
            <h1>Play a recording</h1>
          </header>
          <PlayFile />
        </div>
      </main>
    </div>
  );
}

/** The state of the agent, read whenever an event tells of a change. */
function useAgent(): [AgentState | null, string | null] {
  const [agent, tell] = useState<AgentState | null>(null);
  const [failed, fail] = useState<string | null>(null);
  useEffect(() => {
    const look = () =>
      get<AgentState>(`${BASE}/agent/state`).then(
        (agent) => {
          fail(null);
          tell(agent);
        },
        (error) => fail(words(error)),
      );
    void look();
    const events = new EventSource(`${BASE}/events`);
    for (const name of ["state_change", "prompt", "prompt_resolved", "exit", "resume"]) {
      events.addEventListener(name, () => void look());
    }
    events.onopen = () => void look();
    events.onerror = () => fail("coop cannot be reached; what is shown may be old.");
    store.tell({ type: "link", link: { is: "live" } });
    return () => events.close();
  }, []);
  return [agent, failed];
}
