// The way in for a device: a code that `coop pair` shows, once.
import { useState } from "preact/hooks";
import { post, words } from "../api/http";
import { keepKey } from "../api/key";
import { Notice } from "../ui/parts";
import { TokenForm } from "./login";

/** What stands behind # in the address of the QR code; it is good once, and need not stay there. */
function fromAddress(): string {
  if (location.pathname !== "/pair") return "";
  const code = decodeURIComponent(location.hash.slice(1));
  if (code) history.replaceState(null, "", "/pair");
  return code;
}

export function Pair() {
  const [code, setCode] = useState(fromAddress);
  const [name, setName] = useState(device);
  const [busy, setBusy] = useState(false);
  const [failed, fail] = useState<string | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    fail(null);
    try {
      const paired = await post<{ key?: string }>("/api/v1/pair", { code, name: name || null, browser: true });
      keepKey(paired.key);
      location.replace("/");
    } catch (error) {
      fail(words(error));
      setBusy(false);
    }
  };
  return (
    <main class="way-in">
      <img src="/icon.svg" alt="" width="56" height="56" />
      <h1>Pair this device</h1>
      <p>
        On the machine of the hub, run <code>coop pair</code>. It shows a QR code that leads here, and the code below.
      </p>
      <form onSubmit={submit}>
        <label>
          Code
          <input
            name="code"
            class="code-input"
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
            required
            autocomplete="one-time-code"
            autocapitalize="characters"
            spellcheck={false}
            placeholder="ABCD-EFGH"
          />
        </label>
        <label>
          Name of this device
          <input name="name" value={name} maxLength={64} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <button class="button primary" disabled={busy}>
          {busy ? "Pairing…" : "Pair"}
        </button>
      </form>
      {failed && <Notice bad>{failed}</Notice>}
      <details class="other-way">
        <summary>I have a token</summary>
        <TokenForm />
      </details>
    </main>
  );
}

/** What most people would call it. */
function device(): string {
  const agent = navigator.userAgent;
  const kinds = ["iPhone", "iPad", "Android", "Mac", "Windows", "Linux"];
  return kinds.find((kind) => agent.includes(kind)) ?? "";
}
