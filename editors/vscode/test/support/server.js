'use strict';

/** Servers for tests: a real one over a copy of the toy shop, and one that records. */

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const repository = path.join(__dirname, '../../../..');
const program = process.env.QUARRY_PROGRAM ?? path.join(repository, 'bin/quarry');

/** A copy of the toy shop, and the settings with which its server is found or started. */
async function shop(t) {
  if (!fs.existsSync(program)) throw new Error(`${program} is not there: make build`);
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-vscode-')));
  const root = path.join(home, 'shop');
  fs.cpSync(path.join(repository, 'docs/example'), root, { recursive: true });
  const data = ['--data-dir', path.join(home, 'data')];
  t.after(() => {
    try {
      execFileSync(program, ['serve', 'stop', '--all', ...data], { stdio: 'ignore' });
    } catch {
      // None was started, or it has ended already.
    }
    fs.rmSync(home, { recursive: true, force: true });
  });
  const settings = { 'quarry.path': program, 'quarry.args': [...data, '--port', '0', '--idle-timeout', '10m'] };
  return { root, settings, data };
}

/** Waits until the server of the shop has read all of it, and has its call graph. */
async function ready(root, settings) {
  const args = ['ensure', '--project', root, '--json', ...settings['quarry.args']];
  const { url, pid } = JSON.parse(execFileSync(program, args, { encoding: 'utf8' }));
  for (let i = 0; i < 300; i++) {
    const status = await (await fetch(`${url}/status`)).json();
    const asked = { method: 'POST', body: '{"target": "Signer.Verify", "direction": "callers"}' };
    const { total } = await (await fetch(`${url}/calls`, asked)).json();
    if (status.index.state === 'ready' && total === 2) return { url, pid };
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('the server is not ready after 30 s');
}

const index = { state: 'ready', generation: 1, progress: 1, vectors: 1, freshness: 'FRESH', pending: 0, root: '/' };
const meta = { v: 1, cmd: 'search', matches: 0, truncated: false };
const none = {
  '/search': { results: [] },
  '/calls': { direction: 'callers', edges: [], ambiguous: [], unresolved: [], complete: true, total: 0, truncated: false },
  '/impact': { callers: [], ambiguous: [], tests: [], files: [], complete: true, total: 0, truncated: false },
};

/**
 * A server that keeps what it is asked. answer may reply itself and then returns true;
 * everything else is answered with nothing found.
 */
async function recorder(t, answer = () => false) {
  const asked = [];
  const server = http.createServer((req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (s) => (text += s)).on('end', () => {
      const one = { endpoint: req.url, bytes: Buffer.byteLength(text), body: JSON.parse(text), headers: req.headers, res };
      asked.push(one);
      if (answer(one, res)) return;
      res.end(JSON.stringify({ ...none[req.url], index, meta }));
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  });
  return { url: `http://127.0.0.1:${server.address().port}`, asked };
}

/** Waits until a condition holds, 10 s at most. */
async function until(holds, what) {
  for (let i = 0; i < 1000; i++) {
    if (holds()) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`after 10 s: not ${what}`);
}

module.exports = { shop, ready, recorder, until, index, meta };
