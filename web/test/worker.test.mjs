// The service worker as it is served, with a browser that only records: what notifications offer, and which taps answer.
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const SOURCE = readFileSync(new URL("../public/sw.js", import.meta.url), "utf8");

function worker() {
  const on = {};
  const shown = [];
  const sent = [];
  const opened = [];
  const self = {
    addEventListener: (name, listener) => (on[name] = listener),
    clients: { matchAll: async () => [], openWindow: async (place) => opened.push(place) },
    registration: { showNotification: async (title, options) => shown.push({ title, ...options }) },
  };
  const fetch = async (path, { body, headers }) => {
    sent.push([path, body, headers["coop-key"]]);
    return { ok: true };
  };
  // The page keeps its half of the credential there.
  const caches = { open: async () => ({ match: async () => new Response("k1") }) };
  new Function("self", "fetch", "caches", "location", SOURCE)(self, fetch, caches, {});
  const fire = async (name, event) => {
    let done;
    on[name]({ ...event, waitUntil: (work) => (done = work) });
    await done;
  };
  const push = (told) => fire("push", { data: { json: () => told } });
  const tap = (notification, action) => fire("notificationclick", { action, notification: { ...notification, close() {} } });
  return { shown, sent, opened, push, tap };
}

const asked = (prompt, body = "touch x") => ({ type: "asked", prompt, session: prompt, title: "t", body, yes_or_no: true });

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => vi.useRealTimers());

describe("a notification", () => {
  it.each([
    ["a short text", "touch x", "allow,deny"],
    ["a text that may be cut", "x".repeat(121), "deny"],
    ["lines that may be cut", "a\nb\nc", "deny"],
  ])("of %s", async (_, body, actions) => {
    const { shown, push } = worker();
    await push(asked(1, body));
    expect(shown[0].actions.map(({ action }) => action).join()).toBe(actions);
  });

  it("answers once for two taps 120 ms apart; the second opens the session", async () => {
    const { shown, sent, opened, push, tap } = worker();
    await push(asked(1));
    await push(asked(2, "rm -rf x"));
    vi.advanceTimersByTime(5_000);
    await tap(shown[0], "allow");
    vi.advanceTimersByTime(120);
    await tap(shown[1], "allow");
    expect(sent).toEqual([["/api/v1/prompts/1/answer", '{"accept":true}', "k1"]]);
    expect(opened).toEqual(["/#/session/2"]);
    vi.advanceTimersByTime(700);
    await tap(shown[1], "deny");
    expect(sent[1]).toEqual(["/api/v1/prompts/2/answer", '{"accept":false}', "k1"]);
  });

  it("that has just come opens the session, whatever is tapped", async () => {
    const { shown, sent, opened, push, tap } = worker();
    await push(asked(1));
    vi.advanceTimersByTime(120);
    await tap(shown[0], "allow");
    expect([sent, opened]).toEqual([[], ["/#/session/1"]]);
  });
});
