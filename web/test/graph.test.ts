import assert from "node:assert/strict";
import { test } from "node:test";
import { picture as impactPicture, summary as impactSummary } from "../src/impact/state.js";
import type { Impact } from "../src/impact/state.js";
import { picture, rows, summary } from "../src/graph/convert.js";
import { layOut } from "../src/graph/rows.js";
import { type Graph, params, read, request } from "../src/graph/state.js";
import { squarify } from "../src/map/squarify.js";
import { around, type Node, ranks, strength, colourOf, read as readMap } from "../src/map/state.js";

const index = { state: "ready", generation: 1, progress: 1, vectors: 1, freshness: "FRESH", pending: 0, root: "/" } as const;

function graph(part: Partial<Graph>): Graph {
  return { target: "f", nodes: [], edges: [], total_edges: 0, complete: true, open_calls: 0, total: 0, truncated: false, index, meta: { v: 1, cmd: "graph", matches: 0, truncated: false }, ...part };
}
const node = (id: string, side: Graph["nodes"][number]["side"], depth: number, kind = "function") => ({ id, kind, symbol: id, file: "a.go", line: 1, folder: "", depth, side, count: 1 });
const edge = (from: string, to: string, path = false) => ({ from, to, kind: "calls" as const, confidence: "exact" as const, count: 1, sites: [], ...(path ? { path: true as const } : {}) });

test("callers are above the target, what it calls below, and a path leads down", () => {
  const g = graph({ nodes: [node("f", "target", 0), node("a", "caller", 1), node("b", "callee", 2)], edges: [edge("a", "f")] });
  assert.deepEqual([...rows(g)], [["f", 0], ["a", -1], ["b", 2]]);
  const to = { symbol: "z", file: "a.go", line: 1, end_line: 1, kind: "function" as const, lang: "go", signature: "z" };
  const way = graph({ to, nodes: [node("z", "target", 0), node("f", "target", 0), node("m", "path", 1)], edges: [edge("f", "m", true), edge("m", "z", true)] });
  assert.deepEqual([...rows(way)], [["z", 2], ["f", 0], ["m", 1]]);
  assert.equal(picture(way).arrows[0]?.look, "path");
});

test("300 boxes have places of their own, the same each time", () => {
  const boxes = Array.from({ length: 300 }, (_, i) => ({ id: `n${i}`, row: i === 0 ? 0 : i % 2 === 0 ? -1 - (i % 3) : 1 + (i % 3), width: 60 + (i % 7) * 20 }));
  const lines = boxes.slice(1).map((b, i) => ({ from: b.id, to: `n${Math.floor(i / 2)}` }));
  const at = layOut(boxes, lines);
  assert.equal(at.size, 300);
  assert.deepEqual([...at], [...layOut(boxes, lines)]);
  const byLine = new Map<number, { left: number; right: number }[]>();
  for (const b of boxes) {
    const p = at.get(b.id);
    assert.ok(p && Number.isFinite(p.x) && Number.isFinite(p.y));
    const line = byLine.get(p.y) ?? [];
    assert.ok(line.every((o) => p.x - b.width / 2 >= o.right || p.x + b.width / 2 <= o.left), `${b.id} lies over another box`);
    byLine.set(p.y, [...line, { left: p.x - b.width / 2, right: p.x + b.width / 2 }]);
  }
  assert.ok((at.get("n2")?.y ?? 0) < (at.get("n0")?.y ?? 0) && (at.get("n0")?.y ?? 0) < (at.get("n1")?.y ?? 0));
});

test("a graph is what its address says, and asks for no depth between two", () => {
  const s = read(new URLSearchParams("target=f&depth=3&direction=callers&collapse=folder&expand=a/&expand=b/*&tests=only&path=src&limit=300"));
  const address = new URLSearchParams();
  for (const [name, value] of Object.entries(params(s))) [value].flat().forEach((v) => address.append(name, String(v)));
  assert.deepEqual(read(address), s);
  assert.deepEqual(read(new URLSearchParams("depth=-1&limit=1e9&collapse=constructor&direction=toString")), { ...read(new URLSearchParams()), limit: 300 });
  const between = request(read(new URLSearchParams("target=f&to=g&depth=3")), "");
  assert.ok(!("depth" in between) && !("direction" in between) && between.to === "g");
});

test("a graph says what of it is not shown", () => {
  const g = graph({ total: 400, total_edges: 900, truncated: true, nodes: [node("f", "target", 0), { ...node("x/*", "caller", 1, "group"), count: 301 }] });
  assert.equal(summary(g), "400 nodes and 900 edges. 301 symbols beyond the limit are in 1 group: click one to see more of it.");
});

test("what breaks is a picture of steps", () => {
  const via = { symbol: "f", file: "a.go", line: 1 };
  const caller = { symbol: "g", file: "b.go", line: 2, depth: 1, via, call_sites: [3], kind: "calls" as const, confidence: "exact" as const };
  const test = { symbol: "TestG", file: "b_test.go", line: 2, depth: 2, via: { symbol: "g", file: "b.go", line: 2 }, call_sites: [3], kind: "calls" as const, confidence: "name" as const, test: true as const };
  const a = { callers: [caller], ambiguous: [test], counts: { callers: 1, ambiguous: 1 }, tests: ["b_test.go"], files: ["b.go", "b_test.go"], total: 2, complete: true } as unknown as Impact;
  const { boxes, arrows } = impactPicture(a);
  assert.deepEqual(boxes.map((b) => [b.lines[0], b.row, b.look]), [["f", 0, "target"], ["g", 1, "plain"], ["TestG", 2, "test"]]);
  assert.deepEqual(arrows.map((x) => x.look), ["exact", "ambiguous"]);
  assert.equal(impactSummary(a), "2 symbols in 2 files may break, 1 of them perhaps; 1 test file to run.");
  assert.match(impactSummary({ ...a, callers: [], ambiguous: [], total: 0, complete: false }), /Nothing that is known/);
});

test("areas are as sizes, and fill the rectangle", () => {
  const sizes = [6, 6, 4, 3, 2, 2, 1, 0];
  const all = squarify(sizes, { x: 0, y: 0, width: 600, height: 400 });
  all.forEach((r, i) => assert.ok(Math.abs(r.width * r.height - ((sizes[i] ?? 0) * 240_000) / 24) < 0.01));
  assert.ok(all.every((r) => r.x >= 0 && r.y >= 0 && r.x + r.width < 600.01 && r.y + r.height < 400.01));
  assert.deepEqual(squarify([0, 0], { x: 1, y: 1, width: 9, height: 9 }).map((r) => r.width * r.height), [0, 0]);
  assert.deepEqual(squarify([], { x: 0, y: 0, width: 9, height: 9 }), []);
});

test("the map has its words and colours", () => {
  assert.deepEqual(around("a/b").map((f) => f.path), ["", "a", "a/b"]);
  assert.deepEqual([...ranks({ go: 5, c: 9 })], [["c", 0], ["go", 1]]);
  assert.deepEqual([strength(null, 5), strength(0, 5), strength(1, 1000), strength(1000, 1000)], [undefined, 0, 1, 5]);
  const n: Node = { path: "a", parent: ".", kind: "folder", files: 3, lines: 9, bytes: 9, lang: "go", fan_in: null, churn: 0, inside: 4, left_out: { binary: 1 } };
  const s = readMap(new URLSearchParams());
  const colour = (c: typeof s.colour) => colourOf(n, { ...s, colour: c }, ranks({ go: 9 }), 4);
  assert.deepEqual([colour("lang"), colour("fan_in"), colour("churn"), colour("coverage")], ["lang0", "none", "heat0", "heat2"]);
});
