// A session that serves itself, without a hub: its conversation and its terminal.
import { useEffect, useState } from "preact/hooks";
import { get, post, words } from "../api/http";
import type { About, AgentState } from "../api/types";
import { store } from "../store/store";
import { later } from "../ui/later";
import { Notice, StateMark } from "../ui/parts";
import { AlonePrompt } from "./alone-prompt";
import { Composer } from "./composer";
import { Conversation } from "./conversation";
import "../styles/session.css";

const Terminal = later(async () => (await import("./terminal")).Terminal);
const BASE = "/api/v1";

export function Alone({ about }: { about: About }) {
  const [agent, failed] = useAgent();
  const known = agent?.capabilities?.conversation === true;
  const [tab, choose] = useState<"conversation" | "terminal" | null>(null);
  const now = tab ?? (known ? "conversation" : "terminal");
  const pick = (tab: "conversation" | "terminal", name: string) => (
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
        </nav>
        <div class="tab" data-tab={now}>
          {now === "conversation" && agent && (
            <Conversation base={BASE} state={agent.state} over={agent.state === "exited"} beat={`${agent.state_seq}`} line={null} />
          )}
          {now === "terminal" && <Terminal base="" types />}
        </div>
        {known && now === "conversation" && agent && <Composer base={BASE} state={agent.state} agent={agent.agent} />}
      </main>
      {agent?.prompt && <AlonePrompt key={agent.prompt.prompt_id} prompt={agent.prompt} />}
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
