// A line between a browser and the hub that can be cut: what is open ends, and nothing new is let through.
import net from "node:net";

export async function line(url) {
  const { hostname, port } = new URL(url);
  const open = new Set();
  let whole = true;
  const server = net.createServer((near) => {
    if (!whole) {
      near.destroy();
      return;
    }
    const far = net.connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut() {
      whole = false;
      for (const socket of open) socket.destroy();
    },
    mend() {
      whole = true;
    },
    close() {
      this.cut();
      server.close();
    },
  };
}
