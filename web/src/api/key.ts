// The half of this browser's credential that belongs to this origin. The other half is a cookie, which a browser sends to
// every port of the host; storage is sent to none.

const NAME = "coop-key";

function storage(): Storage | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined;
  }
}

export function key(): string | undefined {
  return storage()?.getItem(NAME) ?? undefined;
}

/** Keeps the key of a new credential; nothing forgets it. */
export function keepKey(value: string | undefined): void {
  if (value) storage()?.setItem(NAME, value);
  else storage()?.removeItem(NAME);
  void forWorker(value);
}

/** The service worker answers from notifications and has no storage but this. */
async function forWorker(value: string | undefined): Promise<void> {
  if (!("caches" in globalThis)) return;
  const cache = await caches.open(NAME);
  if (value) await cache.put("/coop-key", new Response(value));
  else await cache.delete("/coop-key");
}

/** What a request brings. */
export function keyHeaders(): Record<string, string> {
  const own = key();
  return own ? { "coop-key": own } : {};
}

/** What a WebSocket brings: a page cannot set its headers. */
export function keyProtocols(): string[] {
  const own = key();
  return own ? ["coop", `coop.key.${own}`] : [];
}
