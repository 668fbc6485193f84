// Recordings: of a session by way of the hub, of a session by itself, and out of files.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { usable } from "./access.mjs";
import { DESK, LIMIT, PHONE, api, check, coop, coopMeanwhile, pair, play, shot, stage } from "./stage.mjs";

const base = `/api/v1/sessions/${stage.session}`;
const goTo = (page, place) => page.goto(`${stage.url}/#/${place}`);
const file = (name) => join(process.env.HOME, name);

const there = (page) => page.locator('.player .screen[aria-busy="false"] .xterm-rows').waitFor();
const slider = (page) => page.getByRole("slider", { name: "Position" });
const button = (page, name) => page.getByRole("button", { name, exact: true });
const choose = (page, chosen) => page.locator("input[type=file]").setInputFiles(chosen);

/** What the session shows now, line by line. */
async function now() {
  const { lines } = await api("GET", `${base}/screen`);
  return lines.map((line) => line.trimEnd());
}

/** Until the player shows just this. */
async function shows(page, lines, what) {
  const rows = () =>
    page.locator(".player .xterm-rows > div").evaluateAll((all) => all.map((row) => row.textContent.replaceAll("\u00a0", " ").trimEnd()));
  await until(async () => (await rows()).join("\n") === lines.join("\n"), async () => `${what}: it shows\n${(await rows()).join("\n")}\nand not\n${lines.join("\n")}`);
}

async function until(fits, what) {
  const end = Date.now() + LIMIT;
  while (!(await fits())) {
    if (Date.now() > end) throw new Error(await what());
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const has = (page, text) => page.locator(".player .xterm-rows", { hasText: text });

/** Goes there by a key on the slider, and waits until it is shown. */
async function press(page, key) {
  await slider(page).press(key);
  await there(page);
}

await play((open) => {
  let desk;
  let phone;
  let final;
  /** What the page has sent since it was cleared. */
  const sent = [];
  return {
    async "a shell does a few things"() {
      await coopMeanwhile("nudge", "-s", "shell", "--wait", "printf '\\033[1;31mred\\033[m 中 🦀\\n'; seq 1 40");
      // It asks its terminal where the cursor is, and waits for the answer.
      await coopMeanwhile("nudge", "-s", "shell", "--wait", "stty -echo; printf '\\033[6n'; IFS= read -rd R at; stty echo; echo asked");
      coop("nudge", "-s", "shell", "read word; echo got $word");
      await until(async () => (await api("GET", base)).state === "working", () => "it never works");
      coop("input", "-s", "shell", "--enter", "hello");
      coop("wait", "-s", "shell", "idle", "--timeout", "60");
      final = await now();
      check(final.includes("got hello") && final.includes("asked"), final.join("\n"));
    },
    async "whoever may look may play what is kept, and the end is what the session shows"() {
      desk = await open(DESK);
      desk.on("request", (request) => request.method() !== "GET" && sent.push(`${request.method()} ${request.url()}`));
      desk.on("websocket", (socket) => socket.on("framesent", ({ payload }) => {
        // It asks now and then whether the hub is still there.
        if (!`${payload}`.includes("there?")) sent.push(`${payload}`);
      }));
      await pair(desk, "view", "my desk");
      await desk.locator(".card a").first().click();
      await desk.getByRole("link", { name: "Recording" }).click();
      await there(desk);
      sent.length = 0;
      await desk.getByRole("combobox", { name: "Speed" }).selectOption("16");
      await button(desk, "Play").click();
      await desk.waitForFunction(() => {
        const { value, max } = document.querySelector(".position");
        return value === max && document.querySelector('[aria-label="Play"]') !== null;
      });
      await shows(desk, final, "after all was played");
      check(sent.length === 0, `a recording has made the page send something: ${sent}`);
    },
    async "back and forth"() {
      await press(desk, "Home");
      await has(desk, "got hello").waitFor({ state: "detached" });
      check((await slider(desk).getAttribute("aria-valuetext")).startsWith("0:00 of "), "it is at the beginning");
      await press(desk, "End");
      await shows(desk, final, "at the end");
      await press(desk, "Home");
      await press(desk, "End");
      await shows(desk, final, "at the end once more");
    },
    async "from marker to marker"() {
      await desk.locator(".markers summary").click();
      await desk.locator(".markers li").first().waitFor();
      const names = await desk.locator(".markers li").allInnerTexts();
      check(names.some((name) => name.includes("idle")) && names.some((name) => name.includes("working")), names.join());
      // It works, and waits for what is typed.
      await desk.locator(".markers button", { hasText: "working" }).last().click();
      await there(desk);
      await has(desk, "read word").waitFor();
      check((await has(desk, "got hello").count()) === 0, "it has what comes later");
      check((await desk.locator(".markers [aria-current]").innerText()).includes("working"), "it says where it is");
      await button(desk, "Next marker").click();
      await has(desk, "got hello").waitFor();
      check((await desk.locator(".markers [aria-current]").innerText()).includes("idle"), "it has gone on");
      await button(desk, "Previous marker").click();
      await has(desk, "got hello").waitFor({ state: "detached" });
      await shot(desk, "recording-desk");
      await usable(desk, "a recording");
    },
    async "it can be downloaded"() {
      const coming = desk.waitForEvent("download");
      await desk.getByRole("button", { name: "Download" }).click();
      const download = await coming;
      check(download.suggestedFilename() === "shell.cast", download.suggestedFilename());
      await download.saveAs(file("downloaded.cast"));
      check(JSON.parse(readFileSync(file("downloaded.cast"), "utf8").split("\n")[0]).version === 2, "it is an asciicast");
    },
    async "a file is chosen, or dropped, and goes nowhere"() {
      phone = await open(PHONE, { colorScheme: "dark" });
      await pair(phone, "view", "my phone");
      await goTo(phone, "play");
      await phone.getByText("nothing of it is sent").waitFor();
      coop("record", "-s", "shell", "--so-far", "--format", "3", "-o", file("so-far.cast"));
      for (const name of ["so-far.cast", "downloaded.cast"]) {
        await choose(phone, file(name));
        await phone.getByText(name).waitFor();
        await there(phone);
        await press(phone, "End");
        await shows(phone, final, name);
      }
      await phone.locator(".markers summary").click();
      await shot(phone, "recording-phone");
      await usable(phone, "a recording on a phone");
      const dropped = await phone.evaluateHandle((text) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([text], "dropped.cast"));
        return transfer;
      }, readFileSync(file("so-far.cast"), "utf8"));
      await phone.locator(".choose").dispatchEvent("drop", { dataTransfer: dropped });
      await phone.getByText("dropped.cast").waitFor();
    },
    async "keys, and pauses that are cut"() {
      // Somebody went away for an hour, and the last line was not written to its end.
      const lines = [{ version: 2, width: 40, height: 5 }, [0, "o", "first"], [3600, "o", "\r\nsecond"], [3601, "o", "\r\nthird"]];
      writeFileSync(file("hour.cast"), `${lines.map((line) => JSON.stringify(line)).join("\n")}\n[3602, "o`);
      await goTo(desk, "play");
      await choose(desk, file("hour.cast"));
      await desk.getByText("is not whole").waitFor();
      const at = async (text) => {
        await until(async () => (await slider(desk).getAttribute("aria-valuetext")) === text, async () => `${await slider(desk).getAttribute("aria-valuetext")} is not ${text}`);
      };
      await at("0:00 of 0:03");
      await desk.getByLabel("Cut pauses").uncheck();
      await at("0:00 of 1:00:01");
      await desk.locator(".player .screen").focus();
      await desk.keyboard.press("ArrowRight");
      await desk.keyboard.press("ArrowRight");
      await desk.keyboard.press("ArrowLeft");
      await at("0:05 of 1:00:01");
      await desk.keyboard.press("Space");
      await button(desk, "Pause").waitFor();
      await until(async () => Number(await slider(desk).inputValue()) > 5000, () => "it does not play");
      await desk.keyboard.press("Space");
      await button(desk, "Play").waitFor();
      await slider(desk).press("ArrowUp");
      check(Number(await slider(desk).inputValue()) > 10_000, "arrows on the slider go as far");
      await desk.keyboard.press("End");
      await has(desk, "third").waitFor();
    },
    async "what is no recording says why"() {
      writeFileSync(file("bad.cast"), '{"version":2,"width":80,"height":24}\n[0,"o","fine"]\n[1,"r","wide"]\n');
      await choose(desk, file("bad.cast"));
      await desk.getByText("bad.cast cannot be played: line 3 is no asciicast: its size is none.").waitFor();
      check((await desk.locator(".player").count()) === 0, "nothing is played");
      await usable(desk, "a file that is none");
    },
    async "a session by itself has both"() {
      const page = await open(DESK);
      await page.goto(stage.alone);
      await button(page, "Recording").click();
      await there(page);
      await press(page, "End");
      await shows(page, final, "the page of the session itself");
      await usable(page, "a recording of a session by itself");
      await page.getByRole("link", { name: "Play a file" }).click();
      await page.getByRole("heading", { name: "Play a recording" }).waitFor();
      await choose(page, file("so-far.cast"));
      await there(page);
      await usable(page, "a file at a session by itself");
      await page.getByRole("link", { name: "Back to the session" }).click();
      await button(page, "Terminal").waitFor();
    },
  };
});
