// Keeps the shell of the app, so that it opens without a network and says what is stale. It keeps nothing of anybody:
// requests to the API are never looked at.
const SHELL = "coop-shell-1";
// The page keeps the key of this browser's credential there; its other half is a cookie.
const KEY = "coop-key";
const PAGES = ["/", "/theme.js", "/icon.svg", "/manifest.webmanifest"];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(SHELL)
      .then((cache) => cache.addAll(PAGES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name !== SHELL && name !== KEY).map((name) => caches.delete(name));
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(old(names)))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith("/assets/")) event.respondWith(kept(request));
  else if (request.mode === "navigate" && url.pathname === "/") event.respondWith(fresh(request, "/"));
  else if (PAGES.includes(url.pathname)) event.respondWith(fresh(request, url.pathname));
});

// The name of such a file changes with what is in it.
async function kept(request) {
  const cache = await caches.open(SHELL);
  const found = await cache.match(request);
  if (found) return found;
  const reply = await fetch(request);
  if (reply.ok) await cache.put(request, reply.clone());
  return reply;
}

async function fresh(request, path) {
  const cache = await caches.open(SHELL);
  try {
    const reply = await fetch(request);
    if (reply.ok) {
      await cache.put(path, reply.clone());
      if (path === "/") await forget(cache, await reply.clone().text());
    }
    return reply;
  } catch (error) {
    const found = await cache.match(path);
    if (found) return found;
    throw error;
  }
}

// Files of an older app go when a newer page names others; those that are loaded later come again.
async function forget(cache, page) {
  const entry = /\/assets\/index-[^"]+\.js/.exec(page)?.[0];
  const keys = await cache.keys();
  const paths = keys.map((key) => new URL(key.url).pathname);
  if (!entry || paths.includes(entry)) return;
  await Promise.all(keys.filter((_, at) => paths[at].startsWith("/assets/")).map((key) => cache.delete(key)));
}

// As in src/store/guard.ts: notifications move up when the one before is answered, and a second tap hits the next.
const DEAD_MS = 700;
// As in src/notify/words.ts: of a longer text, systems show an unknown part.
const WHOLE_CHARACTERS = 120;
const WHOLE_LINES = 2;
let answered = 0;

// What the hub tells while nobody has the app open. It is told once more when it is settled.
self.addEventListener("push", (event) => {
  const told = event.data?.json() ?? {};
  event.waitUntil(told.type === "settled" ? takeBack(told.prompt) : tell(told));
});

async function tell(told) {
  // Who looks at the session sees it there.
  const windows = await self.clients.matchAll({ type: "window" });
  const place = new RegExp(`#/session/${told.session}(?:$|[/?])`);
  if (windows.some((one) => one.visibilityState === "visible" && place.test(one.url))) return;
  // What the notification may not show whole can be denied there, and allowed only in the app.
  const allow = told.yes_or_no && fits(told.body ?? "") ? [{ action: "allow", title: "Allow" }] : [];
  const actions = (told.deny ?? told.yes_or_no) ? [...allow, { action: "deny", title: "Deny" }] : allow;
  await self.registration.showNotification(told.title ?? "coop", {
    body: told.body,
    tag: `prompt-${told.prompt}`,
    icon: "/icon-192.png",
    data: { prompt: told.prompt, session: told.session, digest: told.digest, shown: Date.now() },
    requireInteraction: told.type === "asked",
    actions,
  });
}

function fits(text) {
  return [...text].length <= WHOLE_CHARACTERS && text.split("\n").length <= WHOLE_LINES;
}

async function takeBack(prompt) {
  for (const one of await self.registration.getNotifications({ tag: `prompt-${prompt}` })) one.close();
}

// A tap on a notification opens the session; its buttons answer. The card goes by the event, as everywhere. A button that
// was tapped in the dead time opens the session, where the prompt can be read and answered.
self.addEventListener("notificationclick", (event) => {
  const { prompt, session, digest, shown = 0 } = event.notification.data ?? {};
  event.notification.close();
  const now = Date.now();
  const since = now - Math.max(shown, answered);
  // A clock that was set back would otherwise stop all answers.
  const dead = since >= 0 && since < DEAD_MS;
  if (!event.action || dead) return event.waitUntil(open(session));
  answered = now;
  event.waitUntil(answer({ prompt, session, digest }, event.action === "allow"));
});

async function answer({ prompt, session, digest }, accept) {
  const key = await (await caches.open(KEY)).match("/coop-key");
  const headers = { "content-type": "application/json", ...(key && { "coop-key": await key.text() }) };
  const body = JSON.stringify({ accept, digest });
  const path = `/api/v1/prompts/${prompt}/answer`;
  const reply = await fetch(path, { method: "POST", headers, body }).catch(() => null);
  // What could not be answered is shown, with the reason.
  if (!reply?.ok) await open(session);
}

async function open(session) {
  const place = session ? `/#/session/${session}` : "/";
  const windows = await self.clients.matchAll({ type: "window" });
  const [first] = windows;
  if (!first) return self.clients.openWindow(place);
  await first.navigate(place).catch(() => undefined);
  return first.focus();
}
