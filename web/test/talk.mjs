// Reading, talking and typing, on a desk and on a phone, on good lines and bad ones.
import { spawn } from "node:child_process";
import { usable } from "./access.mjs";
import { line } from "./line.mjs";
import { DESK, LIMIT, PHONE, api, check, live, nudge, pair, panel, play, says, shot, stage, tap } from "./stage.mjs";

const base = `/api/v1/sessions/${stage.session}`;

/** What the conversation has, each by its key, whatever is drawn of it. */
const keys = (page) => page.locator(".long-box [data-key]").evaluateAll((all) => all.map((one) => one.dataset.key));
const say = async (page, text) => {
  await page.getByRole("textbox", { name: /Message/ }).fill(text);
  await page.getByRole("button", { name: /^(Send|Queue)$/ }).click();
};
const shows = (page, text) => page.locator(".long-box").getByText(text).first().waitFor();

await play((open) => {
  let desk;
  let phone;
  let wire;
  return {
    async "a message is sent and answered, as markdown"() {
      desk = await open(DESK);
      await pair(desk, "drive", "my desk");
      await shot(desk, "board-desk");
      await usable(desk, "the board");
      await desk.locator(".card a").first().click();
      await say(desk, "hello");
      await shows(desk, "Here is what I found");
      const link = desk.locator(".long-box a", { hasText: "documentation" });
      const [href, rel, target] = await Promise.all(["href", "rel", "target"].map((name) => link.getAttribute(name)));
      check(href === "https://example.org/docs" && rel.includes("noopener") && target === "_blank", `${href} ${rel}`);
      check((await desk.locator(".long-box details.thinking[open]").count()) === 0, "thinking is folded");
    },
    async "a change is shown as a difference"() {
      await say(desk, "edit the file");
      await shows(desk, "The notes say something else now.");
      await desk.locator(".tool .diff .new", { hasText: "Another line." }).waitFor();
      await shot(desk, "conversation-desk");
      await usable(desk, "a conversation");
    },
    async "a picture that was read is shown, and whole by a tap"() {
      await say(desk, "look at it");
      await shows(desk, "It is a house.");
      const picture = desk.locator(".tool .picture img");
      await picture.waitFor();
      const [src, width] = await picture.evaluate(async (img) => {
        await img.decode();
        return [img.src, img.naturalWidth];
      });
      check(src.startsWith("data:image/png;base64,") && width > 0, `${src.slice(0, 40)} ${width}`);
      await desk.getByRole("button", { name: /Image/ }).click();
      await desk.locator(".picture.whole").waitFor();
      await shot(desk, "picture-desk");
      await usable(desk, "a conversation with a picture");
      // Whoever did not ask for them is not sent any.
      const { entries } = await api("GET", `${base}/conversation?limit=1000`);
      const images = entries.filter(({ kind }) => kind === "image");
      check(images.length === 1 && images[0].media_type === "image/png" && !images[0].data, JSON.stringify(images));
    },
    async "what is hostile is inert"() {
      await say(desk, "hostile");
      await shows(desk, "end of it");
      const acts = await desk.evaluate(() => ({
        hacked: window.__hacked,
        elements: document.querySelectorAll(".long-box .markdown :is(script, img, iframe, svg, object, form)").length,
        links: [...document.querySelectorAll(".long-box a")].map((a) => a.href).filter((href) => href && !href.startsWith("http")),
      }));
      check(acts.hacked === undefined && acts.elements === 0 && acts.links.length === 0, JSON.stringify(acts));
      await shows(desk, "<script>");
      await shows(desk, "<U+202E>");
      await shows(desk, "an entity <U+202E> too");
    },
    async "a command that fails is seen to"() {
      await say(desk, "fails");
      const asked = await panel(desk, "ls /no/such/folder");
      await tap(desk, asked, "Allow once");
      await shows(desk, "There is none.");
      await desk.locator(".tool.failed", { hasText: "ls /no/such/folder" }).waitFor();
    },
    async "a line is lost and comes back: nothing is lost or doubled"() {
      wire = await line(stage.url);
      phone = await open(PHONE);
      const own = stage.url;
      stage.url = wire.url;
      await pair(phone, "drive", "my phone");
      stage.url = own;
      await usable(phone, "the board on a phone");
      await phone.goto(`${wire.url}/#/session/${stage.session}`);
      await shows(phone, "There is none.");
      wire.cut();
      await phone.locator(".truth.stale").waitFor();
      await shot(phone, "stale-phone");
      await nudge("count");
      await shows(desk, "150");
      wire.mend();
      await live(phone);
      await shows(phone, "150");
      const [there, here] = [await keys(desk), await keys(phone)];
      check(new Set(here).size === here.length, `doubled: ${here}`);
      check(here.join() === there.join(), `lost: ${here} is not ${there}`);
      await shot(phone, "conversation-phone");
      await usable(phone, "a conversation on a phone");
    },
    async "it is interrupted, and a message waits for its turn"() {
      await until(async () => (await api("GET", base)).state === "idle");
      await nudge("queued one");
      await shows(phone, "The queue works.");
      await says("The queue works.");
      await say(phone, "interrupt me");
      // Before it has said something, an interrupt gives the message back into the input box.
      await until(async () => /\b(1[6-9]\d|[2-9]\d\d) /.test(JSON.stringify(await api("GET", `${base}/screen`))));
      await say(phone, "after that");
      await phone.locator(".queued", { hasText: "after that" }).waitFor();
      await phone.getByRole("button", { name: "Interrupt" }).click();
      await shows(phone, "Here again.");
      await phone.locator(".queued").waitFor({ state: "detached" });
    },
    async "the terminal shows the same, and takes keys"() {
      await phone.goto(`${wire.url}/#/session/${stage.session}/terminal`);
      const screen = phone.locator(".xterm-screen");
      await screen.waitFor();
      await phone.locator(".xterm-rows", { hasText: "Here again." }).waitFor();
      await shot(phone, "terminal-phone");
      await phone.locator(".xterm-helper-textarea").focus();
      await phone.keyboard.type("typed by hand");
      await phone.locator(".xterm-rows", { hasText: "typed by hand" }).waitFor();
      // Gone again, by a key that phones do not have.
      await phone.getByRole("button", { name: "Control and C" }).click();
      await phone.locator(".xterm-rows", { hasText: "typed by hand" }).waitFor({ state: "detached" });
      await usable(phone, "a terminal on a phone");
      await desk.goto(`${stage.url}/#/session/${stage.session}/terminal`);
      await desk.locator(".xterm-rows", { hasText: "Here again." }).waitFor();
      await shot(desk, "terminal-desk");
    },
    async "what it did is on its timeline"() {
      await desk.goto(`${stage.url}/#/session/${stage.session}/timeline`);
      for (const state of ["working", "asks", "idle"]) {
        await desk.locator(".timeline li", { hasText: state }).first().waitFor();
      }
      await shot(desk, "timeline-desk");
      await usable(desk, "a timeline");
      await desk.goto(`${stage.url}/#/session/${stage.session}/transcripts`);
      await desk.getByText("No transcripts yet").waitFor();
    },
    async "ten thousand entries scroll"() {
      await desk.route("**/conversation?*", (route) => {
        const after = Number(new URL(route.request().url()).searchParams.get("after"));
        const entries = Array.from({ length: 1000 }, (_, at) => ({
          kind: at % 2 ? "assistant" : "user", line: after + at, index: 0, text: `entry ${after + at}`, is_error: false,
        }));
        const next = after + 1000;
        const told = after >= 10_000 ? { entries: [], next: after, more: false } : { entries, next, more: next < 10_000 };
        return route.fulfill({ json: { session_id: "long", ...told } });
      });
      await desk.goto(`${stage.url}/#/session/${stage.session}/conversation`);
      await shows(desk, "entry 9999");
      const drawn = await desk.locator(".long-box [data-key]").count();
      check(drawn < 500, `${drawn} of 10,000 entries are drawn at once`);
      await desk.locator(".long-box").evaluate((box) => box.scrollTo(0, 0));
      await desk.locator(".long-box").getByText("entry 0", { exact: true }).waitFor();
      await desk.getByRole("button", { name: "↓ to the end" }).click();
      await desk.locator(".long-box").getByText("entry 9999").waitFor();
      await desk.unroute("**/conversation?*");
    },
    async "whoever may only look is told so"() {
      const viewer = await open(PHONE);
      await pair(viewer, "view", "a screen on the wall");
      await viewer.goto(`${stage.url}/#/session/${stage.session}/terminal`);
      await viewer.locator(".xterm-rows", { hasText: "Here again." }).waitFor();
      await viewer.getByText("may look and not type").waitFor();
      check((await viewer.getByRole("button", { name: "Interrupt" }).count()) === 0, "it may not interrupt");
      // Not even by hand.
      await viewer.evaluate(
        ([path]) =>
          new Promise((done, fail) => {
            const key = `coop.key.${localStorage.getItem("coop-key")}`;
            const socket = new WebSocket(`ws://${location.host}${path}/ws?subscribe=state`, ["coop", key]);
            socket.onerror = () => fail(new Error("the WebSocket was refused"));
            socket.onmessage = () => {
              socket.send(JSON.stringify({ type: "input", text: "not allowed", enter: false }));
              socket.send(JSON.stringify({ type: "ping" }));
              setTimeout(done, 500);
            };
          }),
        [base],
      );
      const screen = JSON.stringify(await api("GET", `${base}/screen`));
      check(!screen.includes("not allowed"), "a device that may only look has typed");
    },
    async "a session serves itself, with its token"() {
      const one = await sidecar();
      try {
        const page = await open(DESK);
        await page.goto(one.url);
        await page.getByLabel("Token").fill(one.token);
        await page.getByRole("button", { name: "Use it" }).click();
        await page.locator(".terminal-head", { hasText: "live" }).waitFor();
        await page.locator(".xterm-helper-textarea").focus();
        await page.keyboard.type("echo it$((40+2))works\n");
        await page.locator(".xterm-rows", { hasText: "it42works" }).waitFor();
        await shot(page, "alone-desk");
        await usable(page, "a session by itself");
      } finally {
        one.end();
      }
    },
    async end() {
      wire.close();
    },
  };
});

async function until(fits) {
  const end = Date.now() + LIMIT;
  while (!(await fits())) {
    check(Date.now() < end, `waited in vain: ${fits}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A shell under coop, with a port and a token of its own. */
async function sidecar() {
  const child = spawn(stage.coop, ["--welcome", "--name", "alone", "--", "sh"], { stdio: ["ignore", "pipe", "ignore"] });
  let said = "";
  for await (const part of child.stdout) {
    said += part;
    if (said.includes("Ctrl-C")) break;
  }
  const of = (name) => said.match(new RegExp(`${name}\\s+(\\S+)`))[1];
  return { url: of("address"), token: of("token"), end: () => child.kill("SIGTERM") };
}
