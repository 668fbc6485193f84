// What need not be asked: standing rules, what sessions remember, and what a rule would make of something.
import { useState } from "preact/hooks";
import { call, post, words } from "../api/http";
import { type Rules as Told, opens } from "../api/types";
import { useKnown } from "../store/store";
import { Notice } from "../ui/parts";
import { Waiting, useTold } from "./told";

export function Rules() {
  const beat = useKnown((state) => state.rules);
  const may = useKnown((state) => opens(state.about?.scope ?? null, "admin"));
  const { told, failed, again } = useTold<Told>("/api/v1/rules", beat);
  const [wrong, setWrong] = useState<string | null>(null);
  if (!told) return <Waiting failed={failed} />;
  const remove = (id: number) => call("DELETE", `/api/v1/rules/${id}`).then(again, (error) => setWrong(words(error)));
  return (
    <>
      {may ? <Add done={again} /> : <Notice>Rules are changed by devices with the scope admin.</Notice>}
      {wrong && <Notice bad>{wrong}</Notice>}
      <h2>Standing rules</h2>
      {told.rules.length === 0 && <p class="dim">None: everything is asked.</p>}
      <ul class="rows">
        {told.rules.map((rule) => (
          <li key={rule.id} class="line">
            <strong class={`outcome ${rule.effect}`}>{rule.effect}</strong>
            <code>{rule.pattern}</code>
            <span class="dim grow">
              {rule.project ?? "everywhere"}
              {rule.host && (rule.host === "*" ? ", all machines" : `, ${rule.host}`)}
            </span>
            {may && (
              <button type="button" class="button small danger" onClick={() => remove(rule.id)}>
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      <h2>Remembered by sessions</h2>
      {told.memory.length === 0 && <p class="dim">Nothing.</p>}
      <ul class="rows">
        {told.memory.map((one) => (
          <li key={`${one.session_id}${one.pattern}`} class="line">
            <strong class={`outcome ${one.effect}`}>{one.effect}</strong>
            <code>{one.pattern}</code>
          </li>
        ))}
      </ul>
      <Try />
    </>
  );
}

function Add({ done }: { done: () => void }) {
  const [pattern, setPattern] = useState("");
  const [effect, setEffect] = useState("allow");
  const [failed, fail] = useState<string | null>(null);
  const add = async (event: Event) => {
    event.preventDefault();
    try {
      await call("PUT", "/api/v1/rules", { pattern, effect });
      setPattern("");
      fail(null);
      done();
    } catch (error) {
      fail(words(error));
    }
  };
  return (
    <form class="row" onSubmit={add}>
      <select aria-label="What the rule does" value={effect} onChange={(event) => setEffect(event.currentTarget.value)}>
        {["allow", "deny", "ask"].map((one) => (
          <option>{one}</option>
        ))}
      </select>
      <input
        aria-label="Pattern"
        placeholder="Bash(git status:*)"
        value={pattern}
        required
        onInput={(event) => setPattern(event.currentTarget.value)}
      />
      <button class="button small primary">Add</button>
      {failed && <Notice bad>{failed}</Notice>}
    </form>
  );
}

function Try() {
  const [command, setCommand] = useState("");
  const [said, tell] = useState<string | null>(null);
  const test = async (event: Event) => {
    event.preventDefault();
    try {
      const verdict = await post<{ effect: string }>("/api/v1/rules/test", { tool: "Bash", input: command, cwd: "/" });
      tell(`The rules say: ${verdict.effect}.`);
    } catch (error) {
      tell(words(error));
    }
  };
  return (
    <>
      <h2>What would they say?</h2>
      <form class="row" onSubmit={test}>
        <input
          aria-label="A command"
          placeholder="git status; rm x"
          value={command}
          required
          onInput={(event) => setCommand(event.currentTarget.value)}
        />
        <button class="button small">Try</button>
      </form>
      {said && <Notice>{said}</Notice>}
    </>
  );
}

