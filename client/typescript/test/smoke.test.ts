// Asks a real server, bin/quarry, of the folder that the README is about.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Quarry, QuarryError } from "@quarry-search/client";

const repository = fileURLToPath(new URL("../../../../../", import.meta.url));
const token = "the-secret-of-the-shop";

let folder: string;
let root: string;
const servers: { child: ChildProcess; exit: Promise<unknown> }[] = [];
let address: string; // of a server without a token
let guarded: string; // of one with it

/** Starts a server and returns its address. */
async function serve(name: string, ...flags: string[]): Promise<string> {
  const child = spawn(
    join(repository, "bin", "quarry"),
    ["serve", root, "--port", "0", "--backend", "go", "--wait", "--data-dir", join(folder, name), ...flags],
    { env: { PATH: process.env.PATH, HOME: folder }, stdio: ["ignore", "ignore", "pipe"] },
  );
  servers.push({ child, exit: new Promise((done) => child.once("close", done)) });
  let log = "";
  for await (const line of createInterface(child.stderr!)) {
    log += line + "\n";
    const found = /serving .* at (http:\S+)/.exec(line);
    if (found?.[1]) {
      child.stderr!.resume(); // or it would block when the pipe is full
      return found[1];
    }
  }
  throw new Error(`the server has ended:\n${log}`);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "quarry-client-"));
  root = join(folder, "shop");
  await cp(join(repository, "docs", "example"), root, { recursive: true });
  const file = join(folder, "token");
  await writeFile(file, token + "\n", { mode: 0o600 });
  [address, guarded] = await Promise.all([serve("open"), serve("guarded", "--token-file", file)]);
  for (const baseUrl of [address, guarded]) {
    const quarry = new Quarry({ baseUrl });
    while (!(await quarry.ready()).ready) await new Promise((done) => setTimeout(done, 20));
  }
});

after(async () => {
  for (const { child, exit } of servers) {
    child.kill("SIGTERM");
    await exit;
  }
  await rm(folder, { recursive: true, force: true });
});

/** Expects an answer that is no success. */
async function refused(answer: Promise<unknown>, status: number, code: QuarryError["code"]): Promise<void> {
  await assert.rejects(answer, (error) => {
    assert.ok(error instanceof QuarryError, String(error));
    assert.equal(error.status, status);
    assert.equal(error.code, code);
    assert.ok(error.message && error.requestId);
    return true;
  });
}

test("health", async () => {
  const health = await new Quarry({ baseUrl: address }).health();
  assert.equal(health.status, "ok");
  assert.equal(health.files, 7);
  assert.ok(health.root?.endsWith("/shop"));
});

test("search", async () => {
  const quarry = new Quarry({ baseUrl: `${address}/`, sessionId: "s1" });
  const { results, meta, receipt } = await quarry.search({ query: "Verify", lang: "go", role: "definition", limit: 1, max_tokens: 500 });
  assert.equal(results[0]?.file, "auth/token.go");
  assert.equal(meta.cmd, "search");
  assert.ok(receipt && receipt.tokens_sent > 0);
  const { answers } = await quarry.searchAll({ queries: ["token", "retry"], limit: 1 });
  assert.deepEqual(answers.map((a) => a.query), ["token", "retry"]);
  const again = await quarry.search({ query: "Verify", lang: "go", role: "definition", limit: 1, max_tokens: 500 });
  assert.equal(again.results[0]?.sent, true, "the session was sent it before");
});

test("context and the call graph", async () => {
  const quarry = new Quarry({ baseUrl: address });
  const context = await quarry.context({ target: "Signer.Verify", max_tokens: 1000 });
  assert.equal(context.definition?.symbol, "Signer.Verify");
  assert.ok(context.text.includes("func (s Signer) Verify"));
  const calls = await quarry.calls({ target: "Signer.sign", direction: "callers" });
  assert.equal(calls.edges.length, 2);
  assert.ok((await quarry.tools()).some((t) => t.function.name === "calls"));
  const called = await quarry.callTool("calls", { target: "Signer.sign", direction: "callers" });
  assert.equal((called.data as { total: number }).total, 2);
  await assert.rejects(quarry.callTool("cals"), (e) => e instanceof QuarryError && e.code === "not_found" && /did you mean calls/.test(e.message));
  assert.equal((await quarry.extract({ symbol: "Signer.Verify" })).file, "auth/token.go");
  assert.equal((await quarry.outline("auth/token.go")).imports.length, 7);
});

test("the envelope and its handles", async () => {
  await writeFile(join(root, "many.txt"), "a needle\n".repeat(500));
  const quarry = new Quarry({ baseUrl: address, sessionId: "s2" });
  await quarry.invalidate({ path: "many.txt", wait: true });
  const { meta, matches } = await quarry.grep({ pattern: "needle", literal: true });
  assert.equal(meta.matches, 500);
  assert.ok(meta.handle && matches.length < 500);
  assert.deepEqual((await quarry.handles()).handles.map((h) => h.handle), [meta.handle]);
  const rest = await quarry.handle(meta.handle);
  assert.ok(rest.matches && rest.matches.length > 0);
});

test("the server", async () => {
  const quarry = new Quarry({ baseUrl: address });
  const status = await quarry.status({ skipped: 0 });
  assert.equal(status.name, "quarry");
  assert.equal((await quarry.projects()).projects[0]?.name, "shop");
  assert.ok((await quarry.reindex()).generation > 0);
  assert.equal((await quarry.verify({ sample: 3 })).total, 0);
  await refused(quarry.addProject({ root: "/etc" }), 403, "forbidden_root");
  await refused(quarry.removeProject("shop"), 403, "forbidden_root");
});

test("events", async () => {
  const quarry = new Quarry({ baseUrl: address });
  const kinds: string[] = [];
  for await (const event of quarry.events()) {
    assert.ok(event.id && event.generation > 0);
    if (kinds.push(event.state) === 1) {
      await writeFile(join(root, "gift.py"), "def wrap():\n    pass\n");
    }
    if (event.changed.includes("gift.py")) break;
  }
  assert.ok(kinds.length > 1);
  const signal = AbortSignal.timeout(200);
  await assert.rejects(async () => {
    for await (const event of quarry.events("", { signal })) assert.ok(event);
  }, { name: "TimeoutError" });
});

test("an error has its code", async () => {
  const quarry = new Quarry({ baseUrl: address });
  await refused(quarry.search({ query: "x", path: "gone" }), 404, "not_found");
  await refused(quarry.search({ query: "a(b", mode: "regex" }), 400, "invalid_pattern");
  await refused(new Quarry({ baseUrl: address, project: "depot" }).search({ query: "x" }), 409, "wrong_project");
});

test("a token", async () => {
  await refused(new Quarry({ baseUrl: guarded }).search({ query: "token" }), 401, "unauthorized");
  await refused(new Quarry({ baseUrl: guarded, token: "another" }).search({ query: "token" }), 401, "unauthorized");
  assert.equal((await new Quarry({ baseUrl: guarded }).health()).status, "ok");
  assert.ok((await new Quarry({ baseUrl: guarded, token }).search({ query: "token" })).results.length > 0);
});

test("the example of docs/http.md", async () => {
  const example = fileURLToPath(new URL("../build/readme.js", import.meta.url));
  const program = await readFile(example, "utf8");
  const theirs = "http://localhost:3456";
  assert.equal(program.split(theirs).length, 2, `the example does not name ${theirs} once`);
  const ours = example.replace(/\.js$/, ".run.js");
  await writeFile(ours, program.replace(theirs, address));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [ours]);
  assert.equal(stderr, "");
  assert.match(stdout, /^auth\/token\.go:\d+ /m);
});
