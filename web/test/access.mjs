// Whether a page can be used by everybody, as far as a program can tell.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Fails with what is wrong that is serious or worse. The colours in a terminal are those of the program. */
export async function usable(page, what) {
  // Not as a script of the page, which its policy forbids.
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run({ exclude: [".xterm"] }, { resultTypes: ["violations"] }));
  const bad = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  if (bad.length === 0) return;
  const lines = bad.map(({ id, help, nodes }) => `${id}: ${help}\n    ${nodes.map((node) => node.html).join("\n    ")}`);
  throw new Error(`${what} is hard to use:\n${lines.join("\n")}`);
}
