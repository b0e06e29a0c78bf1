// What is sent again, against scripted answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Quarry, QuarryError } from "@quarry-search/client";

const empty = { results: [], index: {}, meta: {} };

/** Is busy for so many seconds. */
const busy = (seconds: string) =>
  Response.json({ error: "rate_limited", message: "64 searches are waiting already", request_id: "r" }, { status: 429, headers: { "Retry-After": seconds } });

/** Fails as Node's fetch does. */
const broken = (code: string) => new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });

/** Returns a client of scripted answers, and what it was asked. */
function scripted(...answers: (Response | Error)[]): { quarry: Quarry; sent: string[] } {
  const sent: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    sent.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
    const next = answers.shift();
    if (!next || next instanceof Error) throw next ?? new Error("one request too many");
    return next;
  };
  return { quarry: new Quarry({ fetch, timeout: 3000 }), sent };
}

const asked = 'POST /search {"query":"x","shape":"quarry"}';

test("a question is sent again with its body", async () => {
  const { quarry, sent } = scripted(broken("ECONNREFUSED"), broken("ECONNRESET"), Response.json(empty));
  assert.deepEqual((await quarry.search({ query: "x" })).results, []);
  assert.deepEqual(sent, [asked, asked, asked]);
});

test("it waits as long as it is told", async () => {
  const { quarry, sent } = scripted(busy("1"), Response.json(empty));
  const began = performance.now();
  await quarry.search({ query: "x" });
  assert.ok(performance.now() - began > 990);
  assert.equal(sent.length, 2);
});

test("it does not wait for longer than it may take", async () => {
  const { quarry, sent } = scripted(busy("10"));
  const began = performance.now();
  await assert.rejects(quarry.search({ query: "x" }), (e) => e instanceof QuarryError && e.code === "rate_limited" && e.retryAfter === 10);
  assert.ok(performance.now() - began < 900);
  assert.equal(sent.length, 1);
});

test("three times, no more", async () => {
  const refusal = () => broken("ECONNREFUSED");
  const { quarry, sent } = scripted(refusal(), refusal(), refusal(), refusal(), Response.json(empty));
  await assert.rejects(quarry.search({ query: "x" }), TypeError);
  assert.equal(sent.length, 4);
});

test("what may be done once only is not sent again, unless it was not sent", async () => {
  const reset = scripted(broken("ECONNRESET"));
  await assert.rejects(reset.quarry.reindex(), TypeError);
  assert.equal(reset.sent.length, 1);
  const refused = scripted(broken("ECONNREFUSED"), Response.json({ generation: 3 }, { status: 202 }));
  assert.equal((await refused.quarry.reindex()).generation, 3);
});

test("a fault of the server is not asked for again", async () => {
  const { quarry, sent } = scripted(new Response("<html>", { status: 502, statusText: "Bad Gateway" }));
  await assert.rejects(quarry.search({ query: "x" }), (e) => e instanceof QuarryError && e.code === undefined && e.message === "the server answered 502 Bad Gateway");
  assert.equal(sent.length, 1);
});

test("a first build that has not ended is an answer", async () => {
  const { quarry } = scripted(Response.json({ ready: false, index: { state: "indexing" } }, { status: 503, headers: { "Retry-After": "1" } }));
  assert.equal((await quarry.ready()).ready, false);
});

test("a signal ends the wait", async () => {
  const { quarry, sent } = scripted(busy("2"));
  const began = performance.now();
  await assert.rejects(quarry.search({ query: "x" }, { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
  assert.ok(performance.now() - began < 900);
  assert.equal(sent.length, 1);
});

test("a stream that breaks goes on after the last event", async () => {
  const say = (kind: string, id: number, changed: string[]) =>
    `event: ${kind}\nid: a-${id}\ndata: ${JSON.stringify({ generation: id, state: "ready", changed })}\n\n`;
  const streams = [
    new Response(say("hello", 7, []) + ": still here\n\n" + say("change", 8, ["a.go"]) + "event: change\nid: a-9\nda"),
    broken("ECONNREFUSED"),
    new Response(say("hello", 9, []) + say("change", 9, ["b.go"])),
    Response.json({ error: "wrong_project", message: "this server has other projects", request_id: "r" }, { status: 409 }),
  ];
  const asked: (string | null)[] = [];
  const quarry = new Quarry({
    fetch: async (request) => {
      asked.push(request.headers.get("Last-Event-ID"));
      const next = streams.shift();
      if (!next || next instanceof Error) throw next ?? new Error("one request too many");
      return next;
    },
  });
  const seen: string[] = [];
  await assert.rejects(async () => {
    for await (const event of quarry.events()) seen.push(`${event.id} ${event.changed.join()}`);
  }, (e) => e instanceof QuarryError && e.code === "wrong_project");
  assert.deepEqual(seen, ["a-7 ", "a-8 a.go", "a-9 b.go"]);
  assert.deepEqual(asked, [null, "a-8", "a-8", "a-9"]);
});

test("a project is not put next to several", async () => {
  const sent: unknown[] = [];
  const quarry = new Quarry({
    project: "shop",
    agentId: "coder",
    fetch: async (request) => {
      sent.push(await request.json());
      return Response.json(empty);
    },
  });
  await quarry.search({ query: "x" });
  await quarry.search({ query: "x", projects: ["*"] });
  await quarry.search({ query: "x", project: "depot" });
  assert.deepEqual(sent, [
    { query: "x", project: "shop", agent_id: "coder", shape: "quarry" },
    { query: "x", projects: ["*"], agent_id: "coder", shape: "quarry" },
    { query: "x", project: "depot", agent_id: "coder", shape: "quarry" },
  ]);
});
