import assert from "node:assert/strict";
import { test } from "node:test";
import { format, parse } from "../src/router.js";

test("an address that is written is read again", () => {
  for (const [view, rest, params, hash] of [
    ["search", "", { q: "a b&c=d#e", lang: ["go", "c++"], mode: "" }, ""],
    ["code", "src/über uns/100%.go", {}, "L12-20"],
    ["code", "a/<script>alert(1)</script>/?#.go", { project: "x/y" }, "L1"],
  ] as const) {
    const place = parse(new URL(format(view, rest, params, hash), "http://localhost:3456"));
    assert.ok(place);
    assert.deepEqual([place.view, place.rest, place.hash], [view, rest, hash]);
    for (const [name, value] of Object.entries(params)) {
      assert.deepEqual(place.query.getAll(name), value === "" ? [] : [value].flat());
    }
  }
});

test("what is no address of the page, or badly written, is not taken for one", () => {
  assert.equal(parse(new URL("http://localhost/search?q=a")), undefined);
  assert.equal(parse(new URL("http://localhost/-/code/%E0%A4%A"))?.rest, "%E0%A4%A");
});
