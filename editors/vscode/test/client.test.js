'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { ask, Problem, Cancelled } = require('../lib/client');
const { Servers } = require('../lib/server');
const { recorder, until, index } = require('./support/server');

const unset = { path: 'quarry', args: [], url: '', tokenFile: '' };

function folder(t) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-vscode-'));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A program in place of quarry. */
function program(dir, script) {
  const file = path.join(dir, 'fake-quarry');
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return file;
}

test('a request carries the token and the project', async (t) => {
  const { url, asked } = await recorder(t);
  const answer = await ask({ url, token: 'secret', project: '/r' }, '/search', { query: 'q' });
  assert.deepStrictEqual(answer.index, index);
  assert.strictEqual(asked[0].headers.authorization, 'Bearer secret');
  assert.deepStrictEqual(asked[0].body, { project: '/r', query: 'q' });
});

test('what is not a success is a problem with a sentence', async (t) => {
  const answers = [
    [404, '{"error":"not_found","message":"there is no such thing"}', { status: 404, code: 'not_found', message: 'there is no such thing' }],
    [502, '{}', { status: 502, code: '', message: '/search answered 502' }],
    [200, '<html>', { status: 200, message: /not from a Quarry server/ }],
  ];
  for (const [status, text, want] of answers) {
    const { url } = await recorder(t, (_, res) => { res.writeHead(status).end(text); return true; });
    await assert.rejects(ask({ url }, '/search', {}), { name: 'Problem', ...want });
  }
  await assert.rejects(ask({ url: 'http://127.0.0.1:1' }, '/search', {}), { code: 'unreachable', message: /ECONNREFUSED|bad port/ });
});

test('a request ends when its time is over, and when it is called off', async (t) => {
  const { url, asked } = await recorder(t, () => true);
  await assert.rejects(ask({ url }, '/search', {}, { timeoutMs: 50 }), (e) => e instanceof Problem && e.code === 'timeout');
  const stop = new AbortController();
  const asking = ask({ url }, '/search', { query: 'second' }, { signal: stop.signal });
  // The first may have ended before it got there.
  await until(() => asked.some((one) => one.body.query === 'second'), 'asked');
  stop.abort();
  await assert.rejects(asking, Cancelled);
});

test('the server of a folder is looked for once, by questions at the same time, too', async (t) => {
  const { url, asked } = await recorder(t);
  const dir = folder(t);
  const calls = path.join(dir, 'calls');
  const fake = program(dir, `echo "$@" >> '${calls}'; echo '{"pid": 1, "url": "${url}", "root": "/real"}'`);
  const servers = new Servers(() => ({ ...unset, path: fake, args: ['--port', '0'] }), () => {});
  await Promise.all([1, 2, 3].map(() => servers.ask('/r', '/search', { query: 'q' })));
  assert.strictEqual(fs.readFileSync(calls, 'utf8'), 'ensure --project /r --json --port 0\n');
  assert.deepStrictEqual(asked.map((one) => one.body.project), ['/real', '/real', '/real']);
});

test('a program that is absent, fails, or is another one', async (t) => {
  const dir = folder(t);
  const of = (file) => new Servers(() => ({ ...unset, path: file }), () => {}).of('/r');
  await assert.rejects(of(path.join(dir, 'absent')), /say in quarry\.path where the program is/);
  await assert.rejects(of(program(dir, 'echo "/r is empty" >&2; exit 1')), /quarry ensure: \/r is empty/);
  await assert.rejects(of(program(dir, 'echo hello')), /is it Quarry\?/);
});

test('a failure is not kept', async (t) => {
  const { url } = await recorder(t);
  const dir = folder(t);
  const settings = { ...unset, path: path.join(dir, 'absent') };
  const servers = new Servers(() => settings, () => {});
  await assert.rejects(servers.of('/r'));
  settings.path = program(dir, `echo '{"pid": 1, "url": "${url}", "root": "/r"}'`);
  assert.strictEqual((await servers.of('/r')).url, url);
});

test('a server by its address, with a token that is replaced', async (t) => {
  const dir = folder(t);
  const tokenFile = path.join(dir, 'token');
  fs.writeFileSync(tokenFile, 'first\n');
  const { url, asked } = await recorder(t, (one, res) => {
    if (one.headers.authorization === 'Bearer second') return false;
    res.writeHead(401).end('{"error":"unauthorized","message":"the token is wrong"}');
    return true;
  });
  const servers = new Servers(() => ({ ...unset, url: `${url}/`, tokenFile }), () => {});
  await assert.rejects(servers.ask('/r', '/search', {}), /the token is wrong/);
  fs.writeFileSync(tokenFile, 'second\n');
  await servers.ask('/r', '/search', {});
  assert.strictEqual(asked.at(-1).endpoint, '/search');
  assert.strictEqual(asked.at(-1).body.project, undefined);
});
