// Clients of the server as an agent relay has them. It is run by TestRelayClient with
// the server's address as its argument: it looks once whether there is a server, waits
// for a line on its input, searches as several agents at once, hands lines of agents and
// requests to a service over, and prints one line of JSON after each of the two steps.
import http from "node:http";
import { createInterface } from "node:readline";

class SearchClient {
  constructor(base, { timeout = 30_000 } = {}) {
    this.base = base;
    this.timeout = timeout;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 5 });
    this.sockets = new Set(); // that were ever used
  }

  // health is all that the relay ever asks before it decides whether to search.
  async health() {
    try {
      const response = await fetch(this.base + "/health", { signal: AbortSignal.timeout(5_000) });
      return response.ok;
    } catch {
      return false;
    }
  }

  // A path that is undefined is left out of the JSON.
  async search(query, { limit, path } = {}) {
    const response = await fetch(this.base + "/search", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ query, limit: limit ?? 10, path }),
      signal: AbortSignal.timeout(this.timeout),
    });
    if (!response.ok) throw new Error(`search failed: ${response.status} ${response.statusText}`);
    const { results } = await response.json();
    return results;
  }

  // The same by node's own client, whose agent keeps five connections at most.
  searchKept(query) {
    return new Promise((resolve, reject) => {
      const request = http.request(this.base + "/search", { method: "POST", agent: this.agent, timeout: this.timeout }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (part) => (text += part));
        response.on("end", () => {
          try {
            resolve(JSON.parse(text).results);
          } catch (error) {
            reject(error);
          }
        });
      });
      request.on("socket", (socket) => this.sockets.add(socket));
      request.on("timeout", () => request.destroy(new Error("timeout")));
      request.on("error", reject);
      request.end(JSON.stringify({ query, limit: 10 }));
    });
  }
}

// A bridge hands on what a service answers, and shows what comes back unchanged.
class Bridge {
  constructor(base) {
    this.base = base;
  }

  async line(text, type = "text/plain") {
    const response = await fetch(this.base + "/relay", { method: "POST", headers: { "Content-Type": type }, body: text });
    return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
  }

  async request(service, method, params, timeout_ms) {
    const id = crypto.randomUUID();
    const envelope = { v: 1, type: "SERVICE_REQUEST", id, ts: Date.now(), from: "Lead", payload: { service, method, params, timeout_ms } };
    const response = await fetch(this.base + "/rpc", { method: "POST", body: JSON.stringify(envelope) });
    const answer = await response.json();
    if (answer.type !== "SERVICE_RESPONSE" || answer.to !== "Lead" || answer.payload.request_id !== id) {
      throw new Error(`not the answer to ${id}: ${JSON.stringify(answer)}`);
    }
    return answer.payload;
  }
}

// What the relay injects of a service's answer: text as it is, a list by its fields.
const injected = (payload) => {
  if (!payload.success) return `[tldr error] ${payload.error?.message}`;
  if (typeof payload.result === "string") return payload.result;
  if (Array.isArray(payload.result)) return payload.result.map((r) => `${r.file}:${r.line} ${r.signature} (${(r.score * 100).toFixed(0)}%)`).join("\n");
  return JSON.stringify(payload.result, null, 2);
};

// What osgrep's program reads of a result when a server answers.
const osgrepHit = (r) => ({
  path: r.metadata.path,
  range: `${r.generated_metadata.start_line + 1}-${r.generated_metadata.end_line + 1}`,
  role: r.role,
  confidence: r.confidence,
  score: r.score,
  defined: r.defined_symbols.slice(0, 3),
  calls: r.referenced_symbols.slice(0, 3),
  preview: r.text.split("\n").map((l) => l.trim()).filter(Boolean)[0],
});

// What the relay shows an agent. It calls methods on the fields unguarded.
const shown = (results) =>
  results.map((r, i) => `${i + 1}. ${r.file}:${r.line}${r.score ? ` (${(r.score * 100).toFixed(0)}%)` : ""}\n   ${r.content.trim().slice(0, 100)}`);

const input = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const say = (value) => console.log(JSON.stringify(value));

const client = new SearchClient(process.argv[2]);
const available = await client.health();
say({ available, early: available ? await client.search("anything at all") : null });
await input.next();

const searches = await Promise.all([
  client.search("where is a token validated"),
  client.search("validate token", { limit: 1 }),
  client.search("ValidateToken", { path: "src/auth" }),
  client.search("allow", { limit: 5, path: "src/authz" }),
  client.search("zzyzxqj", { path: "src/auth/" }),
]);
const kept = [];
for (let i = 0; i < 3; i++) kept.push((await client.searchKept("validate token")).length);
const one = client.sockets.size;
// Fifty searches at once go over five connections.
const parallel = await Promise.all(Array.from({ length: 50 }, (_, i) => client.searchKept(i % 2 ? "validate token" : "allow")));
const sockets = client.sockets.size;
client.agent.destroy();
let refused = "";
await client.search("").catch((error) => (refused = error.message));

const bridge = new Bridge(process.argv[2]);
const lines = await Promise.all([
  bridge.line('->relay:code search "validate token" --limit 1'),
  bridge.line("->relay:tldr semantic 'validate token' --limit 1"),
  bridge.line("->relay:tldr calls ValidateToken --direction callers"),
  bridge.line("->relay:code skeleton src/authz"),
  bridge.line("->relay:tldr structure"),
  bridge.line("I look first.\n->relay:code trace ValidateToken\n->relay:Lead done\n->relay:code dance"),
  bridge.line('->relay:code search "token" --limit'),
  bridge.line(JSON.stringify({ line: '->relay:code search "validate token" --limit 1' }), "application/json"),
]);
const requests = {
  semantic: await bridge.request("tldr", "semantic", { query: "validate token", limit: "1" }, 30_000),
  none: await bridge.request("nobody", "semantic", { query: "validate token" }, 30_000),
  unknown: await bridge.request("tldr", "dance", {}),
};
// The server's own text is what the relay makes of the same results; notes may follow.
const ask = async (fields) => (await fetch(client.base + "/search", { method: "POST", body: JSON.stringify(fields) })).text();
const same = [];
for (const [query, results] of [["where is a token validated", searches[0]], ["validate token", await client.search("validate token")], ["zzyzxqj", []]]) {
  const made = results.length ? `## Search Results\n\n${shown(results).join("\n\n")}` : `No results found for: "${query}"`;
  const sent = await ask({ query, limit: 10, format: "text" });
  same.push(sent === made || sent.startsWith(made + "\n\n["));
}
const text = await (await fetch(client.base + "/search", { method: "POST", body: JSON.stringify({ query: "validate token", limit: 1, format: "text" }) })).text();
const osgrep = await (await fetch(client.base + "/search", { method: "POST", body: JSON.stringify({ query: "validate token", limit: 1, shape: "osgrep" }) })).json();
say({
  searches, shown: searches.map(shown), signatures: searches[0].map((r) => `${r.file}:${r.line} - ${r.signature}`), kept, refused,
  one, sockets, parallel: parallel.map((r) => r.length),
  lines, requests, injected: Object.fromEntries(Object.entries(requests).map(([name, payload]) => [name, injected(payload)])),
  text, same, osgrep: osgrep.results.map(osgrepHit),
});
process.exit(0);
