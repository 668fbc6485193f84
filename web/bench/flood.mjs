// A flood of output in a terminal of a page: how long the page was busy at a stretch, and the same for xterm.js alone, fed
// from a terminal of its own over a plain WebSocket.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import { fileURLToPath } from "node:url";

const LIBRARY = new URL("../node_modules/@xterm/xterm/", import.meta.url);
const FILES = { "/xterm.js": ["lib/xterm.js", "text/javascript"], "/xterm.css": ["css/xterm.css", "text/css"] };

/** From the beginning until the end of the flood is shown. Long tasks are those that the browser calls so: over 50 ms. */
export async function flooded(page, begin) {
  await page.evaluate(() => {
    const found = { tasks: [], gap: 0, over: false };
    globalThis.flood = found;
    const observer = new PerformanceObserver((list) => found.tasks.push(...list.getEntries().map(({ duration }) => duration)));
    observer.observe({ type: "longtask" });
    let last = performance.now();
    const frame = (now) => {
      found.gap = Math.max(found.gap, now - last);
      last = now;
      if (!found.over) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    const begun = performance.now();
    const look = setInterval(() => {
      if (!document.querySelector(".xterm-rows").textContent.includes("FLOOD-END")) return;
      found.ms = performance.now() - begun;
      found.over = true;
      clearInterval(look);
    }, 100);
  });
  await begin();
  await page.waitForFunction(() => globalThis.flood.over, null, { timeout: 300_000, polling: 200 });
  const { tasks, gap, ms } = await page.evaluate(() => globalThis.flood);
  return { ms, count: tasks.length, longest: Math.max(0, ...tasks), total: tasks.reduce((sum, one) => sum + one, 0), gap };
}

const PAGE = (cols, rows) => `<!doctype html><link rel="stylesheet" href="/xterm.css"><div id="t"></div><script src="/xterm.js"></script>
<script>
const screen = new Terminal({ cols: ${cols}, rows: ${rows}, scrollback: 5000, fontSize: 12 });
screen.open(document.getElementById("t"));
const socket = new WebSocket("ws://" + location.host);
socket.binaryType = "arraybuffer";
socket.onmessage = ({ data }) => screen.write(new Uint8Array(data));
</script>`;

/** Serves xterm.js alone, and sends it what a program prints on a terminal. */
export async function plain(path, cols, rows, env) {
  let connected;
  const socket = new Promise((resolve) => (connected = resolve));
  const server = http.createServer((request, reply) => {
    const [file, type] = FILES[request.url] ?? [null, "text/html"];
    reply.writeHead(200, { "content-type": type }).end(file ? readFileSync(fileURLToPath(new URL(file, LIBRARY))) : PAGE(cols, rows));
  });
  server.on("upgrade", (request, stream) => {
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    stream.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    stream.setNoDelay(true);
    stream.on("error", () => undefined);
    connected(stream);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  let program;
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async begin() {
      const stream = await socket;
      const script = `stty cols ${cols} rows ${rows}; cat '${path}'; printf FLOOD-END; exec sleep 100000`;
      program = spawn("script", ["--quiet", "--flush", "--command", script, "/dev/null"], { env, stdio: ["ignore", "pipe", "ignore"] });
      program.stdout.on("data", (bytes) => {
        // What is not taken is not read either, as with any terminal.
        if (!stream.write(frame(bytes))) {
          program.stdout.pause();
          stream.once("drain", () => program.stdout.resume());
        }
      });
    },
    end() {
      program?.kill();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** One binary message. */
function frame(bytes) {
  const head = bytes.length < 126 ? [0x82, bytes.length] : [0x82, 126, bytes.length >> 8, bytes.length & 255];
  if (bytes.length <= 0xffff) return Buffer.concat([Buffer.from(head), bytes]);
  const long = Buffer.alloc(10);
  long.writeUInt16BE(0x827f);
  long.writeBigUInt64BE(BigInt(bytes.length), 2);
  return Buffer.concat([long, bytes]);
}
