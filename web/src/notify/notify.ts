// Notifications of this browser, while the app is open and nobody looks at what is asked.
import type { Prompt } from "../api/types";
import { unsubscribe } from "./push";
import type { Store } from "../store/store";
import { parse } from "../ui/route";
import { type Told, decide, silent } from "./decide";
import { notification } from "./words";

const WANTED = "coop.notify";

export function wanted(): boolean {
  return localStorage.getItem(WANTED) === "yes" && "Notification" in window && Notification.permission === "granted";
}

/** Asks the browser, and says whether it may. */
export async function want(yes: boolean): Promise<boolean> {
  if (!yes) {
    localStorage.removeItem(WANTED);
    await unsubscribe();
    return false;
  }
  if (!("Notification" in window) || (await Notification.requestPermission()) !== "granted") return false;
  localStorage.setItem(WANTED, "yes");
  return true;
}

export function notify(store: Store): () => void {
  let told: Told = silent;
  let timer = 0;
  const look = () => {
    clearTimeout(timer);
    const route = parse(location.hash);
    const viewed = document.visibilityState === "visible" && route.page === "session" ? route.id : null;
    const [acts, after, next] = decide(told, store.now, viewed, Date.now());
    told = after;
    for (const act of acts) void ("show" in act ? show(store, act.show) : hide(act.hide));
    if (next !== null) timer = window.setTimeout(look, Math.max(50, next - Date.now()));
  };
  const stop = store.listen(look);
  addEventListener("hashchange", look);
  return () => {
    clearTimeout(timer);
    stop();
    removeEventListener("hashchange", look);
  };
}

const tag = (id: number) => `prompt-${id}`;

async function show(store: Store, prompt: Prompt): Promise<void> {
  if (!wanted()) return;
  const worker = await navigator.serviceWorker.ready;
  // Somebody may have been quicker meanwhile.
  if (!store.now.prompts.has(prompt.id)) return;
  const { title, body, actions } = notification(prompt);
  const options = {
    body,
    tag: tag(prompt.id),
    icon: "/icon-192.png",
    data: { prompt: prompt.id, session: prompt.session, shown: Date.now() },
    requireInteraction: true,
    actions,
  };
  await worker.showNotification(title, options);
}

async function hide(id: number): Promise<void> {
  const worker = await navigator.serviceWorker.ready;
  for (const one of await worker.getNotifications({ tag: tag(id) })) one.close();
}
