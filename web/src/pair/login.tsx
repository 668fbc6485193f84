// The way in with a token, which is exchanged for a credential of this browser at once and kept nowhere.
import { useState } from "preact/hooks";
import { post, words } from "../api/http";
import { keepKey } from "../api/key";
import { Notice } from "../ui/parts";

export function Login() {
  return (
    <main class="way-in">
      <img src="/icon.svg" alt="" width="56" height="56" />
      <h1>This session needs its token</h1>
      <p>The one that coop was started with.</p>
      <TokenForm />
    </main>
  );
}

export function TokenForm() {
  const [token, setToken] = useState("");
  const [failed, fail] = useState<string | null>(null);
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      keepKey((await post<{ key?: string }>("/login", { token })).key);
      location.replace("/");
    } catch (error) {
      fail(words(error));
    }
  };
  return (
    <form onSubmit={submit}>
      <label>
        Token
        <input
          name="token"
          type="password"
          value={token}
          required
          autocomplete="off"
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <button class="button">Use it</button>
      {failed && <Notice bad>{failed}</Notice>}
    </form>
  );
}
