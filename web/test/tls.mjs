// The app over TLS of coop's own: a cookie that is never sent without it, the events, and a terminal.
import { DESK, check, pair, play, stage } from "./stage.mjs";

await play((open) => ({
  async "a browser that goes on after the warning has all of it"() {
    const page = await open(DESK, { ignoreHTTPSErrors: true });
    await pair(page, "admin", "over TLS");
    const [cookie] = await page.context().cookies();
    check(cookie.secure && cookie.httpOnly, JSON.stringify(cookie));
    await page.goto(`${stage.url}/#/session/${stage.session}/terminal`);
    await page.locator(".xterm-rows", { hasText: "hello over TLS" }).waitFor();
    const spoken = await page.evaluate(() => performance.getEntriesByType("navigation")[0].nextHopProtocol);
    check(spoken === "h2", `it speaks ${spoken}`);
    // Workers need a certificate that the browser trusts, and this one nobody has signed.
    page.faults = page.faults.filter((fault) => !fault.includes("SSL certificate"));
  },
}));
