// How the app is built: into dist/app, each file also compressed, for the program that serves it (crates/server/build.rs).
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const OUT = "dist/app";
// Less than this fits into one packet as it is.
const SMALL = 1024;

function files(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    closeBundle() {
      for (const file of files(OUT).filter((file) => !file.endsWith(".gz") && !file.endsWith(".png"))) {
        const plain = readFileSync(file);
        if (plain.length > SMALL) writeFileSync(`${file}.gz`, gzipSync(plain, { level: 9 }));
      }
    },
  };
}

const hub = process.env["COOP_HUB_DEV"] ?? "http://127.0.0.1:8123";

export default defineConfig({
  build: {
    outDir: OUT,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  plugins: [compressed()],
  server: {
    proxy: Object.fromEntries(
      ["/api", "/ws", "/app.json", "/login", "/logout"].map((path) => [path, { target: hub, ws: true }]),
    ),
  },
});
