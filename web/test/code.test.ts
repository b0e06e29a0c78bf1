import assert from "node:assert/strict";
import test from "node:test";
import { ranked } from "../src/code/jump.js";
import { byteColumn, formatRange, parseRange, parseSpot, shown, tokens } from "../src/code/tokens.js";

test("a line is split by its classes, and into names", () => {
  const classes = ["plain", "comment", "constant", "function", "keyword"];
  const line = "func Größe(a) // b";
  const all = tokens(line, [0, 4, 4, 5, 10, 3, 14, 18, 1], classes);
  assert.equal(all.map((t) => t.text).join(""), line);
  assert.deepEqual(
    all.filter((t) => t.name).map((t) => [t.text, t.kind, t.start]),
    [
      ["Größe", "function", 5],
      ["a", "plain", 11],
    ],
  );
  assert.equal(all.find((t) => t.text === "func")?.kind, "keyword");
  assert.equal(all.at(-1)?.kind, "comment");
});

test("stretches beyond a line, and of classes that are not known, harm nothing", () => {
  assert.equal(tokens("ab", [1, 90, 77], ["plain"]).map((t) => t.text).join(""), "ab");
  assert.deepEqual(tokens("", [], []), []);
});

test("a character that turns the direction of writing is named", () => {
  const all = tokens("a = '\u202e';", [4, 7, 1], ["plain", "string"]);
  assert.deepEqual(
    all.filter((t) => t.kind === "control").map((t) => [shown(t), t.start]),
    [["[U+202E]", 5]],
  );
  assert.equal(all.map((t) => t.text).join(""), "a = '\u202e';");
});

test("columns are bytes for the server", () => {
  assert.equal(byteColumn("a", 0), 1);
  assert.equal(byteColumn("é😀x", 3), 7);
});

test("lines of an address are read as they are written", () => {
  for (const [text, range] of [
    ["L12", { from: 12, to: 12 }],
    ["L12-20", { from: 12, to: 20 }],
    ["L20-L12", { from: 12, to: 20 }],
    ["L0", undefined],
    ["L", undefined],
    ["L1x", undefined],
    ["", undefined],
  ] as const) {
    assert.deepEqual(parseRange(text), range, text);
  }
  assert.equal(formatRange({ from: 3, to: 3 }), "L3");
  assert.equal(formatRange({ from: 3, to: 9 }), "L3-9");
  assert.equal(formatRange(undefined), "");
});

test("a place is a file and a line", () => {
  assert.deepEqual(parseSpot("a/b.go:12"), { file: "a/b.go", line: 12 });
  assert.deepEqual(parseSpot("a:b.go:12:3"), { file: "a:b.go", line: 12 });
  assert.equal(parseSpot("a/b.go"), undefined);
  assert.equal(parseSpot("a:0"), undefined);
});

test("a file is found by its name before its folders", () => {
  assert.deepEqual(ranked(["cart/other.go", "a/cart.go", "cart.go"], "cart"), ["cart.go", "a/cart.go", "cart/other.go"]);
});
