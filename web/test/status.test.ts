import assert from "node:assert/strict";
import { test } from "node:test";
import { bytes, duration, percent, things } from "../src/parts/words.js";
import { between, moment, parse, savings, total } from "../src/status/metrics.js";

test("metrics are read, with what their labels hold", () => {
  const samples = parse('# HELP x y\nquarry_request_seconds_count{endpoint="/search",code="200"} 3\nquarry_request_seconds_count{endpoint="/a\\"b\\n",code="404"} 2\nbad\nprocess_resident_memory_bytes 1.5e+08\n');
  assert.equal(total(samples, "quarry_request_seconds_count"), 5);
  assert.equal(samples[1]?.labels.endpoint, '/a"b\n');
  assert.equal(moment(samples, 7).resident, 150_000_000);
  assert.equal(total(samples, "none"), 0);
});

test("what happens is counted between moments, and from 0 again after a restart", () => {
  const at = (seconds: number, requests: number) => ({ at: seconds * 1000, requests, seconds: 0, processor: 0, resident: 0, pending: 0 });
  assert.deepEqual(between([at(0, 10), at(2, 14), at(4, 1), at(5, 2)], (a, b, s) => (b.requests - a.requests) / s), [2, 0, 1]);
});

test("savings are those of endpoints that named files", () => {
  const samples = parse('quarry_tokens_raw_total{endpoint="/a"} 100\nquarry_tokens_returned_total{endpoint="/a"} 10\nquarry_tokens_returned_total{endpoint="/b"} 5\nquarry_tokens_raw_total{endpoint="/c"} 500\n');
  assert.deepEqual(savings(samples).map((s) => [s.endpoint, s.returned, s.raw]), [["/c", 0, 500], ["/a", 10, 100]]);
});

test("figures are written for people", () => {
  assert.deepEqual([0, 1023, 1536, 12 * 2 ** 20].map(bytes), ["0 B", "1023 B", "1.5 KiB", "12 MiB"]);
  assert.deepEqual([5, 65, 3700, 90_000].map(duration), ["5 s", "1 min 5 s", "1 h 1 min", "1 d 1 h"]);
  assert.deepEqual([things(1, "file"), things(2000, "file"), percent(0.999)], ["1 file", "2,000 files", "99 %"]);
});
