// Where the app begins.
import { render } from "preact";
import { App } from "./app";
import "./styles/base.css";
import "./styles/board.css";
import "./styles/panel.css";

const root = document.getElementById("app");
if (root) render(<App />, root);

// Works over TLS and on this machine; elsewhere there is no such thing, and the app works without.
if ("serviceWorker" in navigator && import.meta.env.PROD) {
  navigator.serviceWorker.register("/sw.js").catch(() => undefined);
}
