// How much a browser has to fetch before the board is there, as it was built.
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const APP = new URL("../dist/app", import.meta.url).pathname;
const LIMIT = 150_000;

/** A script, and those it cannot do without. */
function needed(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const text = readFileSync(join(APP, "assets", file), "utf8");
  for (const [, next] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) needed(next, found);
  return found;
}

const sent = (file) => {
  const path = join(APP, "assets", file);
  return statSync(existsSync(`${path}.gz`) ? `${path}.gz` : path).size;
};

it("the board is small, and the terminal is no part of it", () => {
  const page = readFileSync(join(APP, "index.html"), "utf8");
  const [, entry] = page.match(/src="\/assets\/([^"]+\.js)"/) ?? [];
  const scripts = [...needed(entry)];
  const total = scripts.reduce((sum, script) => sum + sent(script), 0);
  console.log(`the board needs ${scripts.length} scripts, ${total} bytes compressed`);
  expect(total).toBeLessThan(LIMIT);
  expect(scripts.some((script) => /terminal|render|screen/.test(script))).toBe(false);
  // Nothing that stands in the page would run.
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
});
