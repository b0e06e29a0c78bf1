'use strict';

/** The extension in a window that is made of plain objects, and a real server. */

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { activate } = require('./support/vscode');
const { shop, ready, recorder, until } = require('./support/server');

/** The rows of the list, with their children, as `label | description`. */
function list(shown) {
  const provider = shown.view.provider;
  const walk = (row, depth) => {
    const item = provider.getTreeItem(row);
    const text = '  '.repeat(depth) + [item.label, item.description].filter(Boolean).join(' | ');
    return [text, ...provider.getChildren(row).flatMap((r) => walk(r, depth + 1))];
  };
  return provider.getChildren().flatMap((r) => walk(r, 0));
}

/** Does what a click on a row does. */
async function click(window, label) {
  const provider = window.shown.view.provider;
  const all = provider.getChildren().flatMap((r) => [r, ...provider.getChildren(r)]);
  const item = provider.getTreeItem(all.find((r) => r.label === label && r.place));
  await window.vscode.commands.executeCommand(item.command.command, ...item.command.arguments);
  return window.shown.editors.at(-1);
}

test('starts a server, searches, jumps', async (t) => {
  const { root, settings } = await shop(t);
  const window = activate(root, settings);
  t.after(window.deactivate);

  window.shown.typed = 'how long to wait before the next attempt';
  await window.vscode.commands.executeCommand('quarry.search');
  assert.deepStrictEqual(window.shown.errors, []);
  assert.match(window.shown.status.text, /Quarry: (ready|indexing)/);

  await ready(root, settings);
  await window.vscode.commands.executeCommand('quarry.search');
  assert.strictEqual(window.shown.view.description, window.shown.typed);
  assert.match(list(window.shown)[0], /^fetchWithRetry \| client\/retry\.ts:13$/);
  assert.deepStrictEqual(await click(window, 'fetchWithRetry'),
    { path: path.join(root, 'client/retry.ts'), line: 12, character: 0 });
});

test('who calls this, what breaks, hover', async (t) => {
  const { root, settings } = await shop(t);
  await ready(root, settings);
  const window = activate(root, settings);
  t.after(window.deactivate);
  const run = (name) => window.vscode.commands.executeCommand(name);

  await t.test('at a definition', async () => {
    window.putCursor('auth/token.go', 'Verify(token');
    await run('quarry.whoCalls');
    assert.strictEqual(window.shown.view.description, 'Who calls Signer.Verify');
    assert.deepStrictEqual(list(window.shown), [
      'TestVerifyRefusesExpiredTokens | auth/token_test.go:13',
      'TestVerifyRefusesExpiredTokens | auth/token_test.go:16',
    ]);
    assert.deepStrictEqual(await click(window, 'TestVerifyRefusesExpiredTokens'),
      { path: path.join(root, 'auth/token_test.go'), line: 12, character: 18 });
  });

  await t.test('at a call, it is about what is called', async () => {
    window.putCursor('auth/token_test.go', 'Issue(');
    await run('quarry.whoCalls');
    assert.strictEqual(window.shown.view.description, 'Who calls Signer.Issue');
    assert.deepStrictEqual(list(window.shown), ['TestVerifyRefusesExpiredTokens | auth/token_test.go:12']);
  });

  await t.test('what breaks', async () => {
    window.putCursor('auth/token.go', 'encode(b');
    await run('quarry.whatBreaks');
    assert.strictEqual(window.shown.view.description, 'What breaks with encode');
    assert.strictEqual(window.shown.view.message, 'What breaks with encode: 3 places depend on it, in 2 files.');
    assert.deepStrictEqual(list(window.shown), [
      'Tests to run | 1',
      '  auth/token_test.go',
      'Directly | 2',
      '  Signer.Issue | auth/token.go:29',
      '  Signer.Verify | auth/token.go:40',
      'In 2 steps | 1',
      '  TestVerifyRefusesExpiredTokens | auth/token_test.go:12 · by Signer.Issue',
    ]);
    assert.deepStrictEqual(await click(window, 'Signer.Verify'),
      { path: path.join(root, 'auth/token.go'), line: 39, character: 1 });
  });

  await t.test('hover', async () => {
    // One that comes too late on a busy machine is nothing; the next is there.
    const hover = async (file, text) => {
      for (let i = 0; i < 20; i++) {
        const said = await window.hover(window.putCursor(file, text));
        if (said) return said;
      }
      return undefined;
    };
    const issue = /^auth\/token\.go:27 Signer\.Issue: returns a token for a customer/;
    assert.match(await hover('auth/token_test.go', 'Issue('), issue);
    assert.match(await hover('auth/token.go', 'Issue('), issue);
    assert.match(await hover('client/retry.ts', 'fetchWithRetry'), /fetches a page and tries again/);
    // A variable is not the function, the type or the package that has its name.
    assert.strictEqual(await window.hover(window.putCursor('auth/token_test.go', 'token :=')), undefined);
    assert.strictEqual(await window.hover(window.putCursor('orders/cart.py', 'gross')), undefined);
  });

  await t.test('where there is nothing, the server says so', async () => {
    window.putCursor('auth/token.go', 'crypto/hmac');
    await run('quarry.whoCalls');
    assert.match(window.shown.errors.pop(), /^Quarry: there is no definition at line 5 of auth\/token\.go/);
    window.vscode.window.activeTextEditor = undefined;
    await run('quarry.whatBreaks');
    assert.match(window.shown.errors.pop(), /put the cursor on a symbol/);
  });
});

test('a server that has ended is started again', async (t) => {
  const { root, settings } = await shop(t);
  const first = await ready(root, settings);
  const window = activate(root, settings);
  t.after(window.deactivate);
  await window.vscode.commands.executeCommand('quarry.search', 'token');
  process.kill(first.pid, 'SIGKILL');
  await window.vscode.commands.executeCommand('quarry.search', 'token');
  assert.deepStrictEqual(window.shown.errors, []);
  assert.notStrictEqual((await ready(root, settings)).pid, first.pid);
});

test('unsaved files go with each question that takes them, and only those', async (t) => {
  const { root } = await shop(t);
  const { url, asked } = await recorder(t);
  const window = activate(root, { 'quarry.url': url });
  t.after(window.deactivate);
  const { document } = window.putCursor('auth/token.go', 'Verify(token');
  window.putCursor('orders/cart.py', 'total'); // open, and saved
  window.putCursor('auth/token.go', 'Verify(token');
  const before = fs.readFileSync(document.uri.fsPath, 'utf8');
  document.edit(before + '\nfunc added() {}\n');

  for (const name of ['quarry.search', 'quarry.whoCalls', 'quarry.whatBreaks']) {
    await window.vscode.commands.executeCommand(name, 'token');
  }
  await window.hover(window.putCursor('auth/token.go', 'Verify(token'));
  assert.deepStrictEqual(window.shown.errors, []);
  const sent = (one) => one.body.overlay?.map((f) => f.path).join() ?? 'none';
  assert.deepStrictEqual(asked.map((one) => `${one.endpoint} ${sent(one)}`), [
    '/search auth/token.go',
    '/calls auth/token.go', '/calls auth/token.go',
    '/calls auth/token.go', '/impact auth/token.go',
    '/calls auth/token.go', '/summarize none',
  ]);
  assert.strictEqual(asked[0].body.overlay[0].content, document.text);
  assert.strictEqual(fs.readFileSync(document.uri.fsPath, 'utf8'), before);

  asked.length = 0;
  window.reconfigure({ 'quarry.overlay.enabled': false });
  await window.vscode.commands.executeCommand('quarry.search', 'token');
  assert.strictEqual(sent(asked[0]), 'none');
});

test('an answer is of what is on the screen', async (t) => {
  const { root, settings } = await shop(t);
  await ready(root, settings);
  const window = activate(root, settings);
  t.after(window.deactivate);
  const { document } = window.putCursor('auth/token.go', 'encode(b');
  const saved = document.text;
  document.edit(`package auth\n\nfunc unsaved() string { return encode(nil) }\n${saved.slice(saved.indexOf('\n') + 1).replace('package auth\n', '')}`);
  const callers = async () => {
    window.putCursor('auth/token.go', 'encode(b');
    await window.vscode.commands.executeCommand('quarry.whoCalls');
    assert.deepStrictEqual(window.shown.errors, []);
    return list(window.shown).map((row) => row.split(' | ')[0]);
  };
  assert.ok((await callers()).includes('unsaved'));
  document.text = saved;
  document.isDirty = false;
  assert.deepStrictEqual(await callers(), ['Signer.Issue', 'Signer.Issue', 'Signer.Verify']);
});

test('what is too much to send is named', async (t) => {
  const { root } = await shop(t);
  const { url, asked } = await recorder(t);
  const window = activate(root, { 'quarry.url': url });
  t.after(window.deactivate);
  window.putCursor('auth/token.go', 'Verify(token').document.edit('x'.repeat(2 << 20));
  window.putCursor('orders/cart.py', 'total').document.edit('small');
  await window.vscode.commands.executeCommand('quarry.search', 'token');
  assert.deepStrictEqual(asked[0].body.overlay, [{ path: 'orders/cart.py', content: 'small' }]);
  assert.match(window.shown.view.message, /Unsaved and too much to send, as saved: auth\/token\.go\./);
  assert.match(window.shown.status.text, /\$\(warning\)/);
  assert.match(window.shown.log.join('\n'), /too much to send: auth\/token\.go/);
});

test('cancelling ends the request, and a new question ends the one before', async (t) => {
  const { root } = await shop(t);
  let hang = true;
  const { url, asked } = await recorder(t, () => hang);
  const window = activate(root, { 'quarry.url': url });
  t.after(window.deactivate);
  const gone = () => asked.at(-1).res.destroyed;

  const first = window.vscode.commands.executeCommand('quarry.search', 'one');
  await until(() => asked.length === 1, 'asked');
  window.shown.progress[0].cancel();
  await first;
  await until(gone, 'hung up');

  const second = window.vscode.commands.executeCommand('quarry.search', 'two');
  await until(() => asked.length === 2, 'asked');
  hang = false;
  await window.vscode.commands.executeCommand('quarry.search', 'three');
  await second;
  assert.strictEqual(window.shown.view.description, 'three');
  assert.deepStrictEqual(window.shown.errors, []);
});

test('a hover gives up after half a second, and when it is called off', async (t) => {
  const { root } = await shop(t);
  const { url } = await recorder(t, () => true);
  const window = activate(root, { 'quarry.url': url });
  t.after(window.deactivate);
  const place = window.putCursor('auth/token.go', 'Verify(token');
  const began = Date.now();
  assert.strictEqual(await window.hover(place), undefined);
  const took = Date.now() - began;
  assert.ok(took >= 450 && took < 5000, `${took} ms`);
  const cancelled = { onCancellationRequested: (f) => { setImmediate(f); return { dispose() {} }; } };
  assert.strictEqual(await window.hover(place, cancelled), undefined);
  window.reconfigure({ 'quarry.hover.enabled': false });
  assert.strictEqual(await window.hover(place), undefined);
});
