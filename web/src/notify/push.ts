// Web Push: the hub tells this browser also while the app is closed, by way of the browser's push service, sealed.
import { call, get, post } from "../api/http";

export function canPush(): boolean {
  return "serviceWorker" in navigator && "PushManager" in window;
}

/** Throws with what the browser or the hub says against it. */
export async function subscribe(): Promise<void> {
  const worker = await navigator.serviceWorker.ready;
  const { key } = await get<{ key: string }>("/api/v1/push/key");
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytes(key) });
  await post("/api/v1/push/subscriptions", subscription.toJSON());
}

export async function unsubscribe(): Promise<void> {
  if (!canPush()) return;
  const worker = await navigator.serviceWorker.ready;
  const subscription = await worker.pushManager.getSubscription();
  if (!subscription) return;
  // The hub forgets it by itself when its push service does.
  await call("DELETE", "/api/v1/push/subscriptions", subscription.toJSON()).catch(() => undefined);
  await subscription.unsubscribe();
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}
