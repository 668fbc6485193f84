// What `cargo xtask bench web` runs: how soon what an agent does is seen, and how the terminal bears a flood, in the browser
// that the tests use. Prints the samples as JSON; the table is made by xtask.
import { spawn } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browser, device } from "../test/stage.mjs";
import { flooded, plain } from "./flood.mjs";

/** { coop, events, rounds, floods: [{ name, path }] } */
const told = JSON.parse(process.env.COOP_BENCH);
const DESK = { viewport: { width: 1600, height: 1000 } };
/** As many as a busy person has. */
const SESSIONS = 20;
const COLS = 200;
const ROWS = 50;

const home = mkdtempSync(join(tmpdir(), "coop-web-"));
const children = [];
const env = { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home, TERM: "xterm-256color", LANG: "C.UTF-8" };
const start = (...words) => {
  const child = spawn(told.coop, words, { env, cwd: home, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return child;
};

function socketRequest(socketPath, method, path, body) {
  const text = body === undefined ? "" : JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath, method, path, headers }, async (reply) => {
      const parts = [];
      for await (const part of reply) parts.push(part);
      const said = Buffer.concat(parts).toString();
      if (reply.statusCode >= 300) reject(new Error(`${method} ${path}: ${said}`));
      else resolve(said === "" ? null : JSON.parse(said));
    });
    request.on("error", reject).end(text);
  });
}

const hubSocket = join(home, "coop/hub.sock");
const hub = (method, path, body) => socketRequest(hubSocket, method, path, body);

async function until(what, find) {
  for (let tries = 0; tries < 1200; tries++) {
    const found = await find().catch(() => undefined);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`waited in vain for ${what}`);
}

async function hubAddress() {
  const child = start("hub", "--port", "0", "--log-level", "error");
  let said = "";
  for await (const part of child.stdout) {
    said += part;
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
    if (found) return found[0];
  }
  throw new Error("the hub does not start");
}

/** A page that may do everything. */
async function opened(launched, url) {
  const { code } = await hub("POST", "/api/v1/pair/codes", { scope: "admin", name: "bench" });
  const page = await device(launched, DESK);
  await page.goto(`${url}/pair#${code}`);
  await page.getByRole("button", { name: "Pair", exact: true }).click();
  await page.locator(".truth.live").waitFor();
  return page;
}

/** Watches for a text, and tells the time at which the picture with it was made. One clock: that of this machine. */
function watch(page, place, text) {
  return page.evaluate(
    ([place, text]) => {
      globalThis.seen = new Promise((resolve) => {
        const is = () => document.querySelector(place)?.textContent.includes(text);
        const observer = new MutationObserver(() => is() && tell());
        const tell = () => {
          observer.disconnect();
          // The frame is made after its callbacks, and a message comes after the frame.
          requestAnimationFrame(() => {
            const channel = new MessageChannel();
            channel.port1.onmessage = () => resolve(Date.now());
            channel.port2.postMessage(0);
          });
        };
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
        if (is()) tell();
      });
    },
    [place, text],
  );
}

/** How long it took from here until it was seen. */
async function seen(page, place, text, happen) {
  await watch(page, place, text);
  const at = Date.now();
  await happen();
  return (await page.evaluate(() => globalThis.seen)) - at;
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 60));

async function onBoard(launched, url) {
  const hook = (event, session, more = {}) =>
    hub("POST", `/api/v1/hooks/${event}`, { session_id: `bench-${session}`, cwd: `/srv/project-${session}`, prompt: "Do it", ...more });
  for (let session = 0; session < SESSIONS; session++) await hook("SessionStart", session);
  const page = await opened(launched, url);
  const samples = [];
  for (let event = 0; event < told.events; event++) {
    const session = event % SESSIONS;
    await hook("UserPromptSubmit", session);
    await pause();
    const words = `Done with number ${event}.`;
    const happen = () => hook("Stop", session, { last_assistant_message: words });
    samples.push(await seen(page, ".board", words, happen));
    await pause();
  }
  await page.context().close();
  return samples;
}

/** An agent of which there is nothing but its log and its hooks, under coop. */
async function scripted() {
  const program = join(home, "claude");
  writeFileSync(program, "#!/bin/sh\nexec sleep 100000\n");
  chmodSync(program, 0o755);
  const project = join(home, "project");
  const folder = join(home, ".claude/projects", project.replaceAll(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(project);
  mkdirSync(folder, { recursive: true });
  const id = "0b0e7a6e-0000-4000-8000-000000000001";
  const log = join(folder, `${id}.jsonl`);
  let count = 0;
  const say = (role, text) => {
    const uuid = `0b0e7a6e-0000-4000-9000-${String(count++).padStart(12, "0")}`;
    const content = role === "user" ? text : [{ type: "text", text }];
    const line = { type: role, uuid, sessionId: id, timestamp: new Date().toISOString(), cwd: project, message: { role, content, id: uuid } };
    appendFileSync(log, `${JSON.stringify(line)}\n`);
  };
  say("user", "Begin.");
  start("--name", "scripted", "--agent", "claude", "--groom", "pristine", "--cwd", project, "--log-level", "error", "--", program);
  const socket = join(home, "coop/scripted.sock");
  const common = { session_id: id, transcript_path: log, cwd: project };
  const hook = (event, more = {}) => socketRequest(socket, "POST", `/api/v1/hooks/${event}`, { ...common, hook_event_name: event, ...more });
  await until("the agent", () => hook("SessionStart", { source: "startup" }).then(() => true));
  await hook("UserPromptSubmit", { prompt: "Begin." });
  return { say, hook };
}

async function inConversation(launched, url) {
  const { say, hook } = await scripted();
  const session = await until("the agent on the board", async () => {
    const { sessions } = await hub("GET", "/api/v1/sessions");
    return sessions.find((one) => one.control === "owned");
  });
  const page = await opened(launched, url);
  await page.goto(`${url}/#/session/${session.id}`);
  await page.locator(".long-box").getByText("Begin.").first().waitFor();
  const result = { told: [], untold: [] };
  for (let event = 0; event < told.events; event++) {
    for (const [kind, samples] of Object.entries(result)) {
      const words = `Step ${event}, ${kind}.`;
      const happen = async () => {
        say("assistant", words);
        if (kind === "told") await hook("PostToolUse", { tool_name: "Read", tool_input: { file_path: "x" }, tool_response: {} });
      };
      samples.push(await seen(page, ".long-box", words, happen));
      await pause();
    }
  }
  await page.context().close();
  return result;
}

async function throughCoop(launched, url, flood, number) {
  const name = `flood-${number}`;
  const script = `read x; cat '${flood.path}'; printf FLOOD-END; exec sleep 100000`;
  const child = start("--name", name, "--cols", `${COLS}`, "--rows", `${ROWS}`, "--log-level", "error", "--", "sh", "-c", script);
  const socket = join(home, `coop/${name}.sock`);
  const session = await until("the flood on the board", async () => {
    const { sessions } = await hub("GET", "/api/v1/sessions");
    return sessions.find((one) => one.socket === socket);
  });
  const page = await opened(launched, url);
  await page.goto(`${url}/#/session/${session.id}/terminal`);
  await page.locator(".terminal-head", { hasText: "live" }).filter({ hasText: `${COLS}` }).waitFor();
  const found = await flooded(page, () => hub("POST", `/api/v1/sessions/${session.id}/input`, { text: "go", enter: true }));
  await page.context().close();
  child.kill();
  return found;
}

async function throughPlain(launched, flood) {
  const peer = await plain(flood.path, COLS, ROWS, env);
  const page = await device(launched, DESK);
  await page.goto(peer.url);
  await page.locator(".xterm-rows").waitFor();
  const found = await flooded(page, peer.begin);
  await page.context().close();
  peer.end();
  return found;
}

const launched = await browser();
try {
  const url = await hubAddress();
  const board = await onBoard(launched, url);
  const conversation = await inConversation(launched, url);
  const floods = told.floods.map(({ name, path }) => ({ name, bytes: readFileSync(path).length, coop: [], plain: [] }));
  for (let round = 0; round < told.rounds; round++) {
    for (const [at, flood] of told.floods.entries()) {
      floods[at].coop.push(await throughCoop(launched, url, flood, `${round}-${at}`));
      floods[at].plain.push(await throughPlain(launched, flood));
    }
  }
  console.log(JSON.stringify({ version: launched.version(), sessions: SESSIONS, board, conversation, floods }));
} finally {
  await launched.close();
  children.forEach((child) => child.kill());
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
process.exit();
