// What every script needs: the browser, the hub it talks to, and waiting for what is shown.
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

/** Set by crates/e2e/tests/web: where the hub is, and which session is the agent's. */
export const stage = JSON.parse(process.env.COOP_STAGE ?? "{}");

/** A loaded machine is slow; nothing here takes this long when it works. */
export const LIMIT = 60_000;

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
export const DESK = { viewport: { width: 1360, height: 860 } };

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function browser() {
  const { existsSync } = await import("node:fs");
  const executablePath = process.env.COOP_TEST_CHROMIUM ?? PLACES.find((place) => existsSync(place));
  if (!executablePath) throw new Error("There is no Chromium: apt-get install chromium, or set COOP_TEST_CHROMIUM");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

/** A browser of its own, with nothing kept. */
export async function device(launched, size, options = {}) {
  const context = await launched.newContext({ ...size, reducedMotion: "reduce", ...options });
  context.setDefaultTimeout(LIMIT);
  const page = await context.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(`${error}`));
  page.on("console", (message) => {
    // A request that is refused is shown by the app; only what it did not expect counts.
    const text = message.text();
    if (message.type() === "error" && !text.includes("Failed to load resource") && !text.includes("WebSocket")) {
      page.faults.push(text);
    }
  });
  return page;
}

/** `coop ARGUMENTS` on the machine of the hub. */
export function coop(...words) {
  return execFileSync(stage.coop, words, { encoding: "utf8" });
}

/** The same, where it waits for something that happens here. */
export async function coopMeanwhile(...words) {
  return (await promisify(execFile)(stage.coop, words)).stdout;
}

export async function pair(page, scope = "drive", name = "test browser") {
  const told = JSON.parse(coop("pair", "--json", "--scope", scope, "--name", name, "--address", stage.url));
  await page.goto(told.url);
  await page.getByRole("button", { name: "Pair", exact: true }).click();
  await page.getByRole("heading", { level: 1 }).filter({ hasText: /agent|Nobody/ }).waitFor();
  await live(page);
}

export const live = (page) => page.locator(".truth.live").waitFor();

/** The panel, when it shows a text. */
export async function panel(page, text) {
  const panel = page.locator(".panel").filter({ hasText: text });
  await panel.waitFor();
  return panel;
}

/** Taps a button of the panel, once. The card goes when the hub says that it is settled; anything else is a fault. */
export async function tap(page, asked, name) {
  const id = await asked.getAttribute("data-prompt");
  const card = page.locator(`.panel[data-prompt="${id}"]`);
  const button = card.getByRole("button", { name });
  await button.click();
  const failed = card.locator(".notice.bad");
  const gone = button.waitFor({ state: "detached" }).then(() => null);
  const why = await Promise.race([gone, failed.innerText().catch(() => null)]);
  if (why !== null) throw new Error(`the answer was not taken: ${why}`);
  await gone;
}

/** A message to the agent, over the API of the hub, as somebody else would send it. */
export async function nudge(message) {
  return api("POST", `/api/v1/sessions/${stage.session}/agent/nudge`, { message, when: "idle", timeout_secs: 60 });
}

export async function api(method, path, body) {
  stage.token ??= execFileSync("cat", [join(process.env.HOME, ".local/state/coop/hub.token")], { encoding: "utf8" }).trim();
  const headers = { authorization: `Bearer ${stage.token}` };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const reply = await fetch(stage.url + path, init);
  const told = await reply.json();
  if (!reply.ok) throw new Error(`${method} ${path}: ${JSON.stringify(told)}`);
  return told;
}

/** Until the agent has said this and rests. */
export async function says(words) {
  const end = Date.now() + LIMIT;
  for (;;) {
    const session = await api("GET", `/api/v1/sessions/${stage.session}`);
    if (session.state === "idle" && session.last_message === words) return;
    if (Date.now() > end) throw new Error(`waited in vain for "${words}": ${JSON.stringify(session)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const SHOTS = process.env.COOP_WEB_SHOTS;

/** A picture for the documentation, where somebody asked for it. */
export async function shot(page, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`) });
}

export function check(fits, what) {
  if (!fits) throw new Error(what);
}

/** Runs the steps in order, and says which one failed and what was on the screen. */
export async function play(steps) {
  await played(steps);
  // What a script left open would keep it from ending.
  process.exit();
}

async function played(steps) {
  const launched = await browser();
  const pages = [];
  const open = async (size, options) => {
    const page = await device(launched, size, options);
    pages.push(page);
    return page;
  };
  try {
    for (const [name, step] of Object.entries(steps(open))) {
      const began = Date.now();
      try {
        await step();
      } catch (error) {
        console.error(`\n${name}: ${error.stack ?? error}`);
        for (const page of pages) {
          if (page.isClosed()) continue;
          console.error(`\n--- ${page.url()}\n${await page.locator("body").innerText().catch(() => "?")}`);
          if (page.faults.length > 0) console.error(`faults: ${page.faults.join("\n")}`);
          await shot(page, `failed-${pages.indexOf(page)}`);
        }
        process.exitCode = 1;
        return;
      }
      console.log(`  ${name}: ${Date.now() - began} ms`);
    }
    for (const page of pages) check(page.faults.length === 0, `faults: ${page.faults.join("\n")}`);
  } finally {
    await launched.close();
  }
}
