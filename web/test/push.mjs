// Being told: by a push service that is ours, in a service worker that is real, and by a command of the settings.
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { DESK, LIMIT, api, check, coopMeanwhile, nudge, pair, play, says, stage } from "./stage.mjs";

const raw = (text) => Buffer.from(text, "base64url");

/** A browser as a push service knows it: an address, and keys that only it has. */
class Subscriber {
  ecdh = createECDH("prime256v1");
  auth = randomBytes(16);
  messages = [];
  waiting = [];
  status = 201;

  async listen() {
    this.ecdh.generateKeys();
    this.server = http.createServer(async (request, reply) => {
      const parts = [];
      for await (const part of request) parts.push(part);
      reply.writeHead(this.status).end();
      this.messages.push({ headers: request.headers, body: Buffer.concat(parts) });
      this.waiting.splice(0).forEach((wake) => wake());
    });
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.origin = `http://127.0.0.1:${this.server.address().port}`;
  }

  subscription() {
    const keys = { p256dh: this.ecdh.getPublicKey().toString("base64url"), auth: this.auth.toString("base64url") };
    return { endpoint: `${this.origin}/push/secret`, keys };
  }

  /** The next message, opened as RFC 8291 says, after its signature was looked at. */
  async next() {
    const late = setTimeout(() => process.exit(console.error("no push came") ?? 1), LIMIT);
    while (this.messages.length === 0) await new Promise((wake) => this.waiting.push(wake));
    clearTimeout(late);
    const { headers, body } = this.messages.shift();
    this.signed(headers.authorization);
    check(headers.ttl && headers.urgency === "high" && headers["content-encoding"] === "aes128gcm", JSON.stringify(headers));
    return JSON.parse(this.open(body));
  }

  open(body) {
    const [salt, length] = [body.subarray(0, 16), body[20]];
    const sender = body.subarray(21, 21 + length);
    const sealed = body.subarray(21 + length);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), this.ecdh.getPublicKey(), sender]);
    const ikm = hkdfSync("sha256", this.ecdh.computeSecret(sender), this.auth, info, 32);
    const of = (name, size) => Buffer.from(hkdfSync("sha256", ikm, salt, Buffer.from(`Content-Encoding: ${name}\0`), size));
    const cipher = createDecipheriv("aes-128-gcm", of("aes128gcm", 16), of("nonce", 12));
    cipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
    check(plain.at(-1) === 2, "the last record is marked as such");
    return plain.subarray(0, -1).toString();
  }

  signed(authorization) {
    const [, token, key] = /^vapid t=(\S+), k=(\S+)$/.exec(authorization);
    const [head, claims, signature] = token.split(".");
    const point = raw(key);
    const jwk = { kty: "EC", crv: "P-256", x: point.subarray(1, 33).toString("base64url"), y: point.subarray(33).toString("base64url") };
    const own = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" };
    check(verify("sha256", Buffer.from(`${head}.${claims}`), own, raw(signature)), "the signature is wrong");
    const { aud, exp, sub } = JSON.parse(raw(claims));
    const hours = (exp - Date.now() / 1000) / 3600;
    check(aud === this.origin && hours > 0 && hours < 24 && sub.startsWith("mailto:"), `${aud} ${exp} ${sub}`);
  }
}

await play((open) => {
  const subscriber = new Subscriber();
  let page;
  let deliver;
  const shown = () =>
    page.evaluate(async () => {
      const worker = await navigator.serviceWorker.ready;
      return (await worker.getNotifications()).map(({ title, body, tag, actions }) => ({ title, body, tag, actions }));
    });
  return {
    async "a browser subscribes"() {
      await subscriber.listen();
      page = await open(DESK, { permissions: ["notifications"] });
      await pair(page, "answer", "my desk");
      deliver = await worker(page);
      const { key } = await api("GET", "/api/v1/push/key");
      check(raw(key).length === 65, "a public key");
      await api("POST", "/api/v1/push/subscriptions", subscriber.subscription());
    },
    async "what is asked is pushed, sealed and signed, and the worker shows it"() {
      await nudge("allow it");
      const told = await subscriber.next();
      check(told.type === "asked" && told.body === "touch allowed.txt" && told.title.includes("Bash"), JSON.stringify(told));
      // A browser under load may drop a push to a worker that is just being started; the same push again replaces itself.
      await until(async () => {
        await deliver(told);
        return (await shown()).length === 1;
      });
      const [one] = await shown();
      check(one.body === "touch allowed.txt" && one.actions.length === 2, JSON.stringify(one));
    },
    async "it is taken back when somebody has answered"() {
      const { prompts } = await api("GET", "/api/v1/prompts");
      await api("POST", `/api/v1/prompts/${prompts[0].id}/answer`, { accept: true });
      const told = await subscriber.next();
      check(told.type === "settled" && told.prompt === prompts[0].id, JSON.stringify(told));
      await until(async () => {
        await deliver(told);
        return (await shown()).length === 0;
      });
      await says("Allowed.");
    },
    async "coop notify test tells everybody, and the command of the settings has heard it all"() {
      check((await coopMeanwhile("notify", "test")).includes("Told 2"), "a browser and a command");
      check((await subscriber.next()).type === "test", "a test");
      const heard = readFileSync(join(process.env.HOME, "told.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line).type);
      check(heard.join() === "asked,settled,test", heard.join());
    },
    async "a browser that is gone is forgotten"() {
      subscriber.status = 410;
      await coopMeanwhile("notify", "test");
      check((await coopMeanwhile("notify", "test")).includes("Told 1"), "only the command is left");
      subscriber.server.close();
    },
  };
});

/** Gives something to the service worker of a page, as the browser does when a push has come. */
async function worker(page) {
  const protocol = await page.context().newCDPSession(page);
  const found = new Promise((resolve) =>
    protocol.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [one] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (one) resolve(one.registrationId);
    }),
  );
  await protocol.send("ServiceWorker.enable");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  const registrationId = await found;
  return (told) =>
    protocol.send("ServiceWorker.deliverPushMessage", { origin: stage.url, registrationId, data: JSON.stringify(told) });
}

async function until(fits) {
  const end = Date.now() + LIMIT;
  while (!(await fits())) {
    if (Date.now() > end) throw new Error("waited in vain");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
