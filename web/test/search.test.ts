import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen, marker, stretches } from "../src/search/match.js";
import { params, read, type Search } from "../src/search/state.js";
import { amount, because, lacks } from "../src/search/words.js";

const search = (part: Partial<Search>): Search => ({ ...read(new URLSearchParams()), ...part });
const marked = (s: Search, line: string) =>
  stretches(line, marker(s, undefined))
    .map((x) => (x.match ? `[${x.text}]` : x.text))
    .join("");

test("words of a query are marked in lines, whatever they hold", () => {
  assert.equal(marked(search({ query: "parse URL" }), "func ParseURL(url string)"), "func [Parse][URL]([url] string)");
  assert.equal(marked(search({ query: "<b>$1\\" }), "<b>$1\\"), "<b>$1\\");
  assert.equal(marked(search({ query: "a.c", mode: "regex" }), "abc a.c"), "[abc] [a.c]");
  assert.equal(marked(search({ query: "(", mode: "regex" }), "f("), "f(");
  assert.equal(marked(search({ query: "(a+)+$", mode: "regex" }), "a".repeat(40) + "!"), "a".repeat(40) + "!");
  assert.equal(marked(search({ query: "x*", mode: "regex" }), "axa"), "a[x]a");
});

test("lines that match are shown before others, in their order", () => {
  const lines = ["func f() {", "a", "b", "needle", "c", "needle 2", "}"];
  assert.deepEqual(chosen(lines, /needle/u, 3), [0, 3, 5]);
  assert.deepEqual(chosen(lines, undefined, 3), [0, 1, 2]);
  assert.deepEqual(chosen(lines, /needle/u, 7), [0, 1, 2, 3, 4, 5, 6]);
});

test("a search is what its address says", () => {
  const s = search({ query: "q", mode: "symbol", tests: "only", path: "src", lang: ["go"], kind: ["class", "type"], limit: 50 });
  const address = new URLSearchParams();
  for (const [name, value] of Object.entries(params(s))) [value].flat().forEach((v) => address.append(name, String(v)));
  assert.deepEqual(read(address), s);
  assert.deepEqual(read(new URLSearchParams("mode=none&tests=x&limit=-1&lang=go,c")), search({ lang: ["go", "c"] }));
  assert.equal(read(new URLSearchParams("limit=1e9")).limit, 100);
});

test("an answer says what it is", () => {
  const meta = { v: 1, cmd: "search", matches: 0, truncated: false } as const;
  assert.equal(amount(0, { ...meta, unindexed: true }), "Nothing could match: no file at or below this path is in the index.");
  assert.equal(amount(0, meta), "Nothing matches.");
  assert.equal(amount(20, { ...meta, matches: 1200, truncated: true, truncated_by: ["limit"] }), "The first 20 of 1,200 places.");
  assert.equal(because({ words: ["a", "b"], symbol: "ab", meaning: 0.5 }), "words a, b; symbol ab; meaning 0.50");
  const index = { state: "ready", generation: 1, progress: 1, vectors: 1, freshness: "FRESH", pending: 0, root: "/" } as const;
  assert.deepEqual(lacks(index), []);
  assert.match(lacks({ ...index, state: "indexing", progress: 0.429, freshness: "UNKNOWN" }).join(), /still being built \(42 %\)/);
  assert.match(lacks({ ...index, vectors: 0.5, pending: 1 }).join(), /50 %.*1 changed path is/);
});
