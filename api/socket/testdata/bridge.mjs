// A client of the Unix socket as an agent relay has one: one connection that is kept,
// requests with ids, replies matched by them, three tries when the connection closes. It
// is run by TestBridge with the paths of the socket and of one that hands every byte
// over by itself, and prints one line of JSON.
import net from "node:net";
import { randomUUID } from "node:crypto";

class Bridge {
  constructor(path) {
    this.path = path;
    this.socket = null;
    this.connected = false;
    this.pending = new Map();
    this.rest = "";
  }

  connect() {
    if (this.connected) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const socket = net.createConnection(this.path);
      this.socket = socket;
      this.rest = "";
      socket.on("connect", () => {
        this.connected = true;
        resolve();
      });
      // Each piece is decoded by itself: what is not ASCII would break on a seam.
      socket.on("data", (piece) => this.take(piece.toString("utf-8")));
      socket.on("close", () => {
        this.connected = false;
        for (const p of this.pending.values()) {
          clearTimeout(p.timer);
          p.reject(new Error("Connection closed"));
        }
        this.pending.clear();
      });
      socket.on("error", (error) => this.connected || reject(error));
    });
  }

  take(text) {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop();
    for (const line of lines) {
      if (!line.trim()) continue;
      const reply = JSON.parse(line);
      const p = this.pending.get(reply.id ?? "");
      if (!p) continue; // nobody waits for it
      clearTimeout(p.timer);
      this.pending.delete(reply.id);
      p.resolve(reply);
    }
  }

  async send(command, timeout = 30_000) {
    await this.connect();
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new Error(`no reply within ${timeout} ms`));
      }, timeout);
      this.pending.set(id, { resolve, reject, timer });
      this.socket.write(JSON.stringify({ ...command, id }) + "\n");
    });
  }

  async retry(command, tries = 3) {
    let last;
    for (let i = 0; i < tries; i++) {
      try {
        return await this.send(command);
      } catch (error) {
        last = error;
        if (!error.message.includes("Connection closed")) throw error;
      }
    }
    throw last;
  }

  end() {
    this.socket?.destroy();
  }
}

// What the relay shows an agent.
const shown = (result) => {
  if (typeof result === "string") return result;
  if (Array.isArray(result)) return result.map((r) => `${r.file}:${r.line} ${r.signature} (${(r.score * 100).toFixed(0)}%)`).join("\n");
  return JSON.stringify(result, null, 2);
};

const [, , path, split, fragile] = process.argv;
const bridge = new Bridge(path);
await bridge.connect();
const one = {
  semantic: await bridge.send({ cmd: "semantic", query: "authentication", limit: 10 }),
  context: await bridge.send({ cmd: "context", target: "Signer.Verify", depth: 2 }),
  impact: await bridge.send({ cmd: "impact", target: "encode", depth: 3 }),
  calls: await bridge.send({ cmd: "calls", target: "sign", direction: "callees" }),
  structure: await bridge.send({ cmd: "structure", path: undefined }),
  extract: await bridge.send({ cmd: "extract", symbol: "Signer.Verify" }),
  unknown: await bridge.send({ cmd: "slow" }),
  // As the relay's parser sends what an agent writes on a line.
  lines: [
    await bridge.send({ cmd: "semantic", query: "verify a token" }),
    await bridge.send({ cmd: "context", query: "auth/token.go", depth: "3" }),
    await bridge.send({ cmd: "impact", query: "encode" }),
    await bridge.send({ cmd: "calls", query: "encode", direction: "callers" }),
  ].map((r) => r.success && shown(r.result)),
};
bridge.send({ cmd: "invalidate", path: "auth/token.go" }).catch(() => {});

// A hundred at once, each of which must get its own reply.
const many = await Promise.all(
  Array.from({ length: 100 }, (_, i) => bridge.send(i % 2 ? { cmd: "grep", pattern: `zz${i}` } : { cmd: "calls", target: `none${i}` }).then((r) => (i % 2 ? r.success : r.error.includes(`none${i}`)))),
);

// Every byte by itself.
const bytes = new Bridge(split);
const text = await bytes.send({ cmd: "search", pattern: "ErrForged = " });

// A connection that closes before the answer, twice.
const broken = new Bridge(fragile);
const retried = await broken.retry({ cmd: "ping" });

console.log(JSON.stringify({ one, right: many.filter(Boolean).length, content: text.result[0].content, retried: retried.message, left: bridge.pending.size }));
for (const b of [bridge, bytes, broken]) b.end();
