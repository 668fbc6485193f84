// Everything an agent can ask, answered by taps on a phone, at a keyboard, and by two at once.
import { usable } from "./access.mjs";
import { line } from "./line.mjs";
import { DESK, PHONE, api, check, nudge, pair, panel, play, says, shot, stage, tap } from "./stage.mjs";

const goTo = (page, place) => page.goto(`${stage.url}/#/${place}`);

await play((open) => {
  let phone;
  let desk;
  return {
    async "a phone is paired by its code, and neither half of its credential opens anything"() {
      phone = await open(PHONE);
      await pair(phone, "drive", "my phone");
      const [seen, stored, key] = await phone.evaluate(() => [
        document.cookie,
        Object.keys(localStorage).join(),
        localStorage.getItem("coop-key"),
      ]);
      check(seen === "" && stored === "coop-key", `scripts can read more than the key: ${seen} ${stored}`);
      const cookies = await phone.context().cookies();
      const [cookie] = cookies;
      check(cookies.length === 1 && cookie.httpOnly && cookie.sameSite === "Strict", JSON.stringify(cookies));
      const status = async (headers) => (await fetch(`${stage.url}/api/v1/sessions`, { headers })).status;
      const half = { cookie: `${cookie.name}=${cookie.value}` };
      // A browser sends the cookie to every port of the host, so a server on another port has it.
      check((await status(half)) === 401, "the cookie alone opens the hub");
      check((await status({ authorization: `Bearer ${cookie.value}` })) === 401, "the cookie is a token");
      check((await status({ authorization: `Bearer ${key}` })) === 401, "the key is a token");
      check((await status({ ...half, "coop-key": key })) === 200, "both halves together are the credential");
    },
    async "the board shows the agent"() {
      await phone.locator(".card", { hasText: "project" }).first().waitFor();
      await shot(phone, "board-phone");
    },
    async "allow"() {
      await nudge("allow it");
      const asked = await panel(phone, "touch allowed.txt");
      await shot(phone, "permission-phone");
      await usable(phone, "a permission on a phone");
      // It says so for a moment.
      const told = phone.locator(".gone-card", { hasText: "Allowed" }).waitFor();
      await Promise.all([told, tap(phone, asked, "Allow once")]);
      await phone.locator(".panel").waitFor({ state: "detached" });
      await says("Allowed.");
    },
    async "deny with words"() {
      await nudge("deny it");
      const asked = await panel(phone, "touch denied.txt");
      await asked.getByRole("button", { name: "Deny, and say why" }).click();
      await asked.getByRole("textbox").fill("because I say so");
      await tap(phone, asked, "Deny with these words");
      await says("Understood.");
    },
    async "one question, one tap"() {
      await nudge("pick one");
      const asked = await panel(phone, "Which database?");
      await shot(phone, "question-phone");
      await tap(phone, asked, /Postgres/);
      await says("Picked.");
    },
    async "several questions, and several answers"() {
      await nudge("pick several");
      const asked = await panel(phone, "Which features?");
      await asked.getByRole("button", { name: /SQLite/ }).click();
      await asked.getByRole("button", { name: "Auth" }).click();
      await asked.getByRole("button", { name: "Export" }).click();
      await shot(phone, "questions-phone");
      await usable(phone, "questions on a phone");
      await tap(phone, asked, "Send the answers");
      await says("All picked.");
    },
    async "an answer in own words"() {
      await nudge("something else");
      const asked = await panel(phone, "What is it called?");
      await asked.getByRole("button", { name: "Other" }).click();
      await asked.getByRole("textbox").fill("Gamma");
      await tap(phone, asked, "Send the answer");
      await says("Named.");
    },
    async "a file that is written is shown whole"() {
      await nudge("write it");
      const asked = await panel(phone, "notes.md");
      await asked.getByText("One line.").waitFor();
      await tap(phone, asked, "Allow once");
      await says("Written.");
    },
    async "a change is shown as a difference"() {
      await nudge("edit it");
      const asked = await panel(phone, "notes.md");
      await asked.locator(".diff .old", { hasText: "One line." }).waitFor();
      await asked.locator(".diff .new", { hasText: "Another line." }).waitFor();
      await shot(phone, "change-phone");
      await tap(phone, asked, "Allow once");
      await says("Edited.");
    },
    async "a plan is rejected with feedback, and approved"() {
      await nudge("plan it");
      const asked = await panel(phone, "Tidy the README");
      await asked.getByText("Show how to start it").waitFor();
      await shot(phone, "plan-phone");
      await usable(phone, "a plan on a phone");
      await asked.getByRole("textbox").fill("shorter, please");
      await tap(phone, asked, "Reject with feedback");
      const again = await panel(phone, "shortly");
      await tap(phone, again, "Approve");
      await says("Planned.");
    },
    async "answered at the keyboard: the card says so and goes"() {
      await nudge("at the keyboard");
      await panel(phone, "touch typed.txt");
      const told = phone.locator(".gone-card", { hasText: "terminal" }).waitFor();
      await Promise.all([told, keyboard("1", "Do you want to proceed?")]);
      await phone.locator(".panel").waitFor({ state: "detached" });
      await says("Typed.");
    },
    async "two browsers: one winner, and both know"() {
      desk = await open(DESK);
      await pair(desk, "drive", "my desk");
      await nudge("one of two");
      const [one, other] = [await panel(phone, "touch twice.txt"), await panel(desk, "touch twice.txt")];
      await shot(desk, "permission-desk");
      await usable(desk, "a permission on a desk");
      const allow = (asked) => asked.getByRole("button", { name: "Allow once" }).click();
      await Promise.allSettled([allow(one), allow(other)]);
      await Promise.all([phone, desk].map((page) => page.locator(".panel").waitFor({ state: "detached" })));
      await says("Once.");
      const { history } = await api("GET", "/api/v1/history?limit=50");
      const answered = history.filter((settled) => settled.text === "touch twice.txt");
      check(answered.length === 1 && answered[0].outcome === "allow", JSON.stringify(answered));
    },
    async "the history says who decided what"() {
      desk = await open(DESK);
      await pair(desk, "admin", "the owner");
      await goTo(desk, "history");
      await desk.locator(".rows li", { hasText: "because I say so" }).filter({ hasText: "by my phone" }).waitFor();
      await desk.locator(".rows li", { hasText: "touch typed.txt" }).filter({ hasText: "by terminal" }).waitFor();
      await shot(desk, "history-desk");
    },
    async "what was said is found"() {
      await goTo(desk, "search");
      await desk.getByRole("searchbox").fill("all picked");
      await desk.getByRole("button", { name: "Search" }).click();
      const hit = desk.locator(".rows a", { hasText: "All picked." }).last();
      await hit.waitFor();
      await shot(desk, "search-desk");
      await hit.click();
      await desk.locator(".long-box").getByText("All picked.").first().waitFor();
    },
    async "rules are added, tried and removed"() {
      await goTo(desk, "rules");
      await desk.getByLabel("Pattern").fill("Bash(git status:*)");
      await desk.getByRole("button", { name: "Add" }).click();
      const rule = desk.locator(".rows li", { hasText: "Bash(git status:*)" });
      await rule.waitFor();
      await desk.getByLabel("A command").fill("git status");
      await desk.getByRole("button", { name: "Try" }).click();
      await desk.getByText("The rules say: allow.").waitFor();
      await shot(desk, "rules-desk");
      await rule.getByRole("button", { name: "Remove" }).click();
      await rule.waitFor({ state: "detached" });
    },
    async "a session that cannot be started says why"() {
      await goTo(desk, "new");
      await desk.getByLabel(/Folder/).fill("/no/such/folder");
      await desk.getByRole("button", { name: "Start", exact: true }).click();
      await desk.locator(".notice.bad").waitFor();
      await usable(desk, "the page that starts sessions");
    },
    async "a session is started, ended and gone on with"() {
      await desk.getByLabel(/Folder/).fill(stage.project);
      await desk.getByRole("button", { name: "Start", exact: true }).click();
      await desk.waitForURL(/#\/session\/\d+/);
      const id = Number(/session\/(\d+)/.exec(desk.url())[1]);
      check(id !== stage.session, "it is another one");
      const head = desk.locator(".session-head");
      const say = async (words, answer) => {
        await head.locator(".mark-idle").waitFor();
        await desk.getByRole("textbox", { name: /Message/ }).fill(words);
        await desk.getByRole("button", { name: /^(Send|Queue)$/ }).click();
        await desk.locator(".long-box").getByText(answer).waitFor();
      };
      await say("begin here", "Begun.");
      desk.once("dialog", (dialog) => dialog.accept());
      await head.getByRole("button", { name: "End" }).click();
      await head.getByRole("button", { name: "Resume" }).click();
      await say("go on", "Gone on.");
      await desk.locator(".long-box").getByText("Begun.").waitFor();
      await usable(desk, "a session that was resumed");
    },
    async "it is dark where somebody wants it"() {
      await goTo(desk, "settings");
      await desk.getByRole("button", { name: "Dark" }).click();
      await shot(desk, "settings-dark-desk");
      await goTo(desk, "");
      await desk.reload();
      await desk.locator(".card").first().waitFor();
      check((await desk.evaluate(() => document.documentElement.dataset.theme)) === "dark", "it is forgotten");
    },
    async "every page can be used, on a desk and on a phone, in both colours"() {
      const session = `session/${stage.session}`;
      const places = ["", "search", "history", "rules", "devices", "new", "settings", "play"];
      const tabs = ["conversation", "terminal", "recording", "transcripts", "timeline"].map((tab) => `${session}/${tab}`);
      for (const [size, colorScheme] of [[PHONE, "dark"], [DESK, "light"]]) {
        const page = await open(size, { colorScheme });
        await pair(page, "admin", `the owner, ${colorScheme}`);
        for (const place of [...places, ...tabs]) {
          await goTo(page, place);
          await page.getByRole("heading", { level: 1 }).first().waitFor();
          await page.locator(".loading").first().waitFor({ state: "detached" });
          await usable(page, `#/${place} on ${size === PHONE ? "a phone" : "a desk"}, ${colorScheme}`);
          await shot(page, `${place.split("/").at(-1) || "board"}-${colorScheme}-${size === PHONE ? "phone" : "desk"}`);
        }
        await page.context().close();
      }
    },
    async "without a network the app opens, and says that it is stale"() {
      const wire = await line(stage.url);
      const own = stage.url;
      const far = await open(PHONE);
      stage.url = wire.url;
      await pair(far, "view", "far away");
      stage.url = own;
      await far.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
      // What was loaded before the worker was there is kept from now on.
      await far.reload();
      await far.locator(".card").first().waitFor();
      wire.cut();
      await far.reload();
      await far.getByText("cannot be reached").waitFor();
      wire.mend();
      await far.locator(".truth.live").waitFor();
      await installable(far);
      wire.close();
    },
    async "a device that is taken its token is out at once"() {
      await goTo(desk, "devices");
      await desk.getByRole("button", { name: "A code for another device" }).click();
      await desk.locator(".pair-code").waitFor();
      await shot(desk, "devices-desk");
      await usable(desk, "the devices");
      desk.on("dialog", (dialog) => dialog.accept());
      const row = desk.locator(".rows li", { hasText: "my phone" });
      await row.getByRole("button", { name: "Remove" }).click();
      await row.waitFor({ state: "detached" });
      await phone.getByRole("heading", { name: "Pair this device" }).waitFor();
      await shot(phone, "pair-phone");
      await usable(phone, "the page that pairs");
    },
  };
});

/** What Lighthouse looks at, and what Chromium itself says of it. */
async function installable(page) {
  const protocol = await page.context().newCDPSession(page);
  const { errors, data } = await protocol.send("Page.getAppManifest");
  check(errors.length === 0, JSON.stringify(errors));
  const manifest = JSON.parse(data);
  const { name, short_name, start_url, display, theme_color, prefer_related_applications, icons } = manifest;
  check(name && short_name && start_url && theme_color && display === "standalone" && !prefer_related_applications, data);
  const { installabilityErrors } = await protocol.send("Page.getInstallabilityErrors");
  // Contexts of tests are private windows, which install nothing.
  const left = installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito");
  check(left.length === 0, JSON.stringify(left));
  const sizes = await page.evaluate(
    (icons) =>
      Promise.all(
        icons.map(async ({ src, sizes, type }) => {
          const picture = await createImageBitmap(await (await fetch(src)).blob());
          return { said: sizes, is: `${picture.width}x${picture.height}`, type };
        }),
      ),
    icons.filter(({ type }) => type === "image/png"),
  );
  check(sizes.every(({ said, is }) => said === is), JSON.stringify(sizes));
  for (const needed of ["192x192", "512x512"]) check(sizes.some(({ is }) => is === needed), `no icon of ${needed}`);
  check(icons.some(({ purpose }) => purpose?.includes("maskable")), "no icon for round places");
  const controlled = await page.evaluate(() => navigator.serviceWorker.controller?.state);
  check(controlled === "activated", `the worker is ${controlled}`);
  check(await page.evaluate(() => document.querySelector("meta[name=viewport]") !== null && isSecureContext), "no viewport");
}

/** Presses a key until the dialog is gone: one that has just opened takes none. */
async function keyboard(key, dialog) {
  const shows = async () => JSON.stringify(await api("GET", `/api/v1/sessions/${stage.session}/screen`)).includes(dialog);
  const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
  while (!(await shows())) await pause();
  // One that was taken may be shown late, and a second would be typed into whatever comes next.
  do {
    await api("POST", `/api/v1/sessions/${stage.session}/input/keys`, { keys: [key] });
    const again = Date.now() + 3000;
    do await pause();
    while (Date.now() < again && (await shows()));
  } while (await shows());
}
