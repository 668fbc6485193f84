// Types of the wire out of the OpenAPI documents in api/, which a test of crates/server holds to what is served.
// With --check it only says whether they are up to date.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const check = process.argv.includes("--check");
let stale = false;
for (const name of ["hub", "session"]) {
  const document = new URL(`../api/${name}.json`, import.meta.url);
  const target = new URL(`../src/api/${name}.ts`, import.meta.url);
  const types = astToString(await openapiTS(document));
  const text = `// @generated from api/${name}.json by \`npm run api\`\n${types}`;
  if (!check) writeFileSync(target, text);
  else if (readFileSync(target, "utf8") !== text) {
    stale = true;
    console.error(`src/api/${name}.ts is not what api/${name}.json says: run \`make api\``);
  }
}
process.exit(stale ? 1 : 0);
