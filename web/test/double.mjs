// Taps and keys that come too soon: a card that has just appeared under the finger is not answered by them. The times of
// the taps are those that the events carry, so that a slow machine does not change them.
import { DESK, LIMIT, PHONE, api, check, pair, panel, play, stage } from "./stage.mjs";

/** What an agent would do with the answer: `allow` or `deny`, or null as long as there is none. */
class Asked {
  decision = null;

  constructor(text, payload) {
    this.text = text;
    this.hook = api("POST", "/api/v1/hooks/PermissionRequest", payload).then((reply) => {
      this.decision = reply.hookSpecificOutput.decision.behavior;
      return this.decision;
    });
  }

  static async command(session, command, cwd = "/srv/shop") {
    return new Asked(command, { session_id: session, cwd, tool_name: "Bash", tool_input: { command } }).known();
  }

  static async plan(session, plan) {
    return new Asked(plan, { session_id: session, cwd: "/srv/shop", tool_name: "ExitPlanMode", tool_input: { plan } }).known();
  }

  /** Waits until the hub has it, so that what is asked next comes after it. */
  async known() {
    const end = Date.now() + LIMIT;
    for (;;) {
      const { prompts } = await api("GET", "/api/v1/prompts");
      const found = prompts.find((prompt) => prompt.input?.command === this.text || prompt.input?.plan === this.text);
      if (found) return Object.assign(this, { id: found.id, session: found.session });
      check(Date.now() < end, `${this.text} is not asked`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async became(decision) {
    const is = await this.hook;
    check(is === decision, `${this.text}: ${is}, not ${decision}`);
  }
}

const ALLOW = "Allow once";
const card = (page, asked) => page.locator(`.panel[data-prompt="${asked.id}"]`);
const button = (page, asked, name) => card(page, asked).getByRole("button", { name, exact: true });
/** Waits for the end of the dead time, and taps. */
const answer = (page, asked, name) => button(page, asked, name).click();
const enabled = (page, asked, name) => card(page, asked).locator("button:not([aria-disabled=true])", { hasText: name }).first().waitFor();

/** Waits for the end of the dead time of a card that was tapped in it, and denies. */
async function unanswered(page, asked) {
  await Promise.race([enabled(page, asked, ALLOW), asked.hook]);
  check(asked.decision === null, `a tap in the dead time was taken: ${asked.decision} ${asked.text}`);
  await answer(page, asked, "Deny");
  await asked.became("deny");
}

/** Records in the page: every click, and how the buttons of a card are when the card is first there. */
const record = (page) =>
  page.evaluate(() => {
    window.clicks = [];
    window.first = {};
    const at = (event) => {
      const on = event.target.closest("button");
      const prompt = event.target.closest(".panel")?.dataset.prompt;
      window.clicks.push({ time: event.timeStamp, on: on?.textContent, prompt: Number(prompt) });
    };
    addEventListener("click", at, true);
    const look = () => {
      const panel = document.querySelector(".panel");
      const allow = [...(panel?.querySelectorAll("button") ?? [])].find((one) => one.textContent === "Allow once");
      if (!allow) return;
      const { x, y, width, height } = allow.getBoundingClientRect();
      window.first[panel.dataset.prompt] ??= { disabled: allow.ariaDisabled, box: { x, y, width, height }, time: performance.now() };
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
  });

const clicks = (page) => page.evaluate(() => window.clicks);
const first = (page, asked) => page.evaluate((id) => window.first[id], asked.id);

/** A finger: taps at a place, at an instant of the page. */
async function finger(page) {
  const protocol = await page.context().newCDPSession(page);
  const origin = await page.evaluate(() => performance.timeOrigin);
  return async ({ x, y }, time) => {
    const before = (await clicks(page)).length;
    const timestamp = (origin + time) / 1000;
    await protocol.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [{ x, y }], timestamp });
    await protocol.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [], timestamp });
    await page.waitForFunction((count) => window.clicks.length > count, before);
    return (await clicks(page)).at(-1);
  };
}

const now = (page) => page.evaluate(() => performance.now());
const middle = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });

await play((open) => {
  let phone;
  let tap;
  return {
    async "a phone is paired"() {
      phone = await open(PHONE);
      await pair(phone, "answer", "my phone");
      await record(phone);
      tap = await finger(phone);
    },
    async "two taps 120 ms apart at one place answer one prompt"() {
      const one = await Asked.command("s1", "mkdir build && git push");
      const two = await Asked.command("s2", "rm -rf build && git push --force");
      await card(phone, one).getByText("1 of 2").waitFor();
      await enabled(phone, one, ALLOW);
      const place = middle(await button(phone, one, ALLOW).boundingBox());
      const start = await tap(place, await now(phone));
      check(start.prompt === one.id && start.on === ALLOW, `the first tap hit ${JSON.stringify(start)}`);
      await one.became("allow");
      await button(phone, two, ALLOW).waitFor();
      const again = await tap(place, start.time + 120);
      check(again.prompt === two.id && again.on === ALLOW, `the second tap hit ${JSON.stringify(again)}`);
      check(Math.abs(again.time - start.time - 120) < 20, `the taps were ${again.time - start.time} ms apart`);
      await Promise.race([enabled(phone, two, ALLOW), two.hook]);
      check(two.decision === null, `the second tap was taken: ${two.decision} ${two.text}`);
      // Grey when it came, and in the same place since.
      const came = await first(phone, two);
      const stays = middle(await button(phone, two, ALLOW).boundingBox());
      check(came.disabled === "true", `it could be answered at once: ${JSON.stringify(came)}`);
      check(Math.abs(middle(came.box).y - stays.y) < 1, `it has moved from ${JSON.stringify(came.box)} to ${stays.y}`);
      await unanswered(phone, two);
    },
    async "a tap on the card that follows an answer given elsewhere answers nothing"() {
      const one = await Asked.command("s1", "mkdir elsewhere && git push");
      const two = await Asked.command("s2", "rm -rf elsewhere && git push");
      await enabled(phone, one, ALLOW);
      // The reply waits for an agent that would confirm.
      void api("POST", `/api/v1/prompts/${one.id}/answer`, { accept: true });
      await one.became("allow");
      await button(phone, two, ALLOW).waitFor();
      const { box, time } = await first(phone, two);
      const hit = await tap(middle(box), time + 120);
      check(hit.prompt === two.id && hit.on === ALLOW, `the tap hit ${JSON.stringify(hit)}`);
      await unanswered(phone, two);
    },
    async "buttons that have moved under the finger answer nothing"() {
      const one = await Asked.command("s1", "touch moved && git push");
      await enabled(phone, one, ALLOW);
      const resized = phone.evaluate(
        () => new Promise((done) => addEventListener("resize", () => done(performance.now()), { once: true })),
      );
      await phone.setViewportSize({ ...PHONE.viewport, height: PHONE.viewport.height - 40 });
      const time = await resized;
      const hit = await tap(middle(await button(phone, one, ALLOW).boundingBox()), time + 120);
      check(hit.prompt === one.id && hit.on === ALLOW, `the tap hit ${JSON.stringify(hit)}`);
      await unanswered(phone, one);
      await phone.setViewportSize(PHONE.viewport);
    },
    async "a card stays in front when another is asked by the session on the page"() {
      const before = await Asked.command("s1", "true && git push");
      await phone.goto(`${stage.url}/#/session/${before.session}`);
      await unanswered(phone, before);
      const one = await Asked.command("s2", "touch first && git push");
      await enabled(phone, one, ALLOW);
      const two = await Asked.command("s1", "touch second && git push");
      await phone.locator(".panel").getByText("2 of 2").waitFor();
      await unanswered(phone, one);
      await unanswered(phone, two);
      await phone.goto(`${stage.url}/#/`);
    },
    async "the second tap on a folded card answers nothing"() {
      const one = await Asked.command("s1", "touch folded && git push");
      await enabled(phone, one, ALLOW);
      const fold = phone.locator(".panel .fold");
      await fold.click();
      const place = middle(await fold.boundingBox());
      const start = await tap(place, await now(phone));
      await button(phone, one, ALLOW).waitFor();
      const hit = await tap(place, start.time + 120);
      check(hit.prompt === one.id && hit.on !== null, `the second tap hit ${JSON.stringify(hit)}`);
      await unanswered(phone, one);
    },
    async "a key that is held down answers one prompt"() {
      const desk = await open(DESK);
      await pair(desk, "answer", "my desk");
      const one = await Asked.command("s1", "mkdir held && git push");
      const two = await Asked.command("s2", "rm -rf held && git push");
      await enabled(desk, one, ALLOW);
      await button(desk, one, ALLOW).focus();
      await desk.keyboard.down("Enter");
      await one.became("allow");
      await enabled(desk, two, ALLOW);
      await button(desk, two, ALLOW).focus();
      for (let times = 0; times < 5; times++) await desk.keyboard.down("Enter");
      await desk.keyboard.up("Enter");
      await unanswered(desk, two);
      await desk.context().close();
    },
    async "a command is shown whole: lines that are not seen are counted, and hidden characters are visible"() {
      const lines = Array.from({ length: 80 }, (_, line) => `echo ${line}`).join("\n");
      const long = await Asked.command("s1", `${lines}\nrm -rf \u202ex\u200b\u00a0y`, "/srv/\u202eshop");
      const asked = await panel(phone, "echo 79");
      const text = await asked.locator("pre").innerText();
      check(text.includes("rm -rf <U+202E>x<U+200B><U+00A0>y"), text);
      check((await asked.locator(".where").innerText()).includes("/srv/<U+202E>shop"), "the folder");
      await asked.locator(".rest", { hasText: /\d\d more lines below/ }).waitFor();
      const before = await button(phone, long, ALLOW).boundingBox();
      await asked.locator("pre").evaluate((box) => box.scrollTo(0, box.scrollHeight));
      await asked.locator(".rest", { hasText: "this is the end" }).waitFor();
      const after = await button(phone, long, ALLOW).boundingBox();
      check(before.y === after.y, "the buttons have moved");
      await answer(phone, long, "Deny");
      await long.became("deny");
    },
    async "a plan is formatted only where that hides nothing"() {
      const rows = [
        ["# Tidy\n\n1. **Say** it\n2. see [docs](https://example.org/x)", ["Tidy", "docs (https://example.org/x)"]],
        ["# Tidied\n\n[//]: # (then push)\n\n|a|\n|-|\n|b|then delete|", ["(then push)", "then delete"]],
        ["# Bad\n\n<img src=x onerror=alert(1)> [x](javascript:alert(1)) &#x202E;end", ["<img src=x", "javascript:alert(1)"]],
      ];
      for (const [text, seen] of rows) {
        const plan = await Asked.plan("s1", text);
        const asked = card(phone, plan);
        for (const words of seen) await asked.locator(".plan", { hasText: words }).waitFor();
        const acts = await asked.locator(".plan").evaluate((box) => ({
          elements: box.querySelectorAll("img, script, iframe, svg").length,
          links: [...box.querySelectorAll("a")].map((a) => a.href).filter((href) => href && !href.startsWith("https://")),
          hidden: /[\u202a-\u202e\u200b]/.test(box.textContent),
        }));
        check(acts.elements === 0 && acts.links.length === 0 && !acts.hidden, JSON.stringify(acts));
        await answer(phone, plan, "Reject");
        await plan.became("deny");
      }
    },
  };
});
