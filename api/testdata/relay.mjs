// A client of the search server as an agent relay has one. It is run by
// TestRelayClient with the server's address as its argument: it looks once
// whether there is a server, waits for a line on its input, searches five times
// at once, and prints one line of JSON after each of the two steps.
import http from "node:http";
import { createInterface } from "node:readline";

class SearchClient {
  constructor(base, { timeout = 30_000 } = {}) {
    this.base = base;
    this.timeout = timeout;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: 5 });
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

  // The same by node's own client, whose agent keeps connections.
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
      request.on("error", reject);
      request.end(JSON.stringify({ query, limit: 10 }));
    });
  }
}

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
client.agent.destroy();
let refused = "";
await client.search("").catch((error) => (refused = error.message));
say({ searches, shown: searches.map(shown), signatures: searches[0].map((r) => `${r.file}:${r.line} - ${r.signature}`), kept, refused });
process.exit(0);
