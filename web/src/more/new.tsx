// A new session under coop, on the machine of the hub.
import { useState } from "preact/hooks";
import { post, words } from "../api/http";
import { type Session, opens } from "../api/types";
import { useKnown } from "../store/store";
import { Notice } from "../ui/parts";

const AGENTS = ["claude", "codex", "gemini"];

export function New() {
  const may = useKnown((state) => opens(state.about?.scope ?? null, "drive"));
  const sessions = useKnown((state) => state.sessions);
  const folders = [...new Set([...sessions.values()].map((session) => session.cwd).filter((cwd) => cwd != null))];
  const [agent, setAgent] = useState("claude");
  const [cwd, setCwd] = useState(folders[0] ?? "");
  const [args, setArgs] = useState("");
  const [busy, setBusy] = useState(false);
  const [failed, fail] = useState<string | null>(null);
  if (!may) return <Notice>Sessions are started by devices with the scope drive.</Notice>;
  const start = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    fail(null);
    try {
      const given = args.split(/\s+/).filter(Boolean);
      const session = await post<Session>("/api/v1/sessions", { agent, cwd, args: given });
      location.hash = `#/session/${session.id}`;
    } catch (error) {
      fail(words(error));
      setBusy(false);
    }
  };
  return (
    <form class="fields" onSubmit={start}>
      <label>
        Agent
        <select value={agent} onChange={(event) => setAgent(event.currentTarget.value)}>
          {AGENTS.map((one) => (
            <option>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Folder, on the machine of the hub
        <input value={cwd} list="folders" required placeholder="/srv/shop" onInput={(event) => setCwd(event.currentTarget.value)} />
      </label>
      <datalist id="folders">
        {folders.map((folder) => (
          <option value={folder} />
        ))}
      </datalist>
      <label>
        Arguments, if any
        <input value={args} placeholder="--model opus" onInput={(event) => setArgs(event.currentTarget.value)} />
      </label>
      <button class="button primary" disabled={busy}>
        {busy ? "Starting…" : "Start"}
      </button>
      {failed && <Notice bad>{failed}</Notice>}
    </form>
  );
}
