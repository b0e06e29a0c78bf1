'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { pack, inside, below, MAX_FILES, MAX_BYTES } = require('../lib/overlay');

const file = (path, size) => ({ path, content: 'x'.repeat(size) });

test('pack', async (t) => {
  await t.test('what fits goes, by path', () => {
    const { overlay, leftOut } = pack([file('b', 9), file('a', 10)], {});
    assert.deepStrictEqual(overlay.map((f) => f.path), ['a', 'b']);
    assert.deepStrictEqual(leftOut, []);
  });

  await t.test('of too many files the largest stay out', () => {
    const many = Array.from({ length: MAX_FILES + 2 }, (_, i) => file(`f${String(i).padStart(2, '0')}`, 100 - i));
    const { overlay, leftOut } = pack(many, {});
    assert.strictEqual(overlay.length, MAX_FILES);
    assert.deepStrictEqual(leftOut, ['f00', 'f01']);
  });

  await t.test('the whole request has at most 1 MiB, as it is sent', () => {
    // A quotation mark has two bytes in JSON, the umlaut in UTF-8.
    const unsaved = [1, 2, 3, 4, 5, 6].map((i) => ({ path: `f${i}`, content: '"ä'.repeat(40_000 + i * 1000) }));
    const fields = { query: 'y'.repeat(8192) };
    const { overlay, leftOut } = pack(unsaved, fields);
    const sent = Buffer.byteLength(JSON.stringify({ project: 'p'.repeat(4096), ...fields, overlay }));
    assert.ok(sent <= MAX_BYTES && sent > MAX_BYTES * 0.8, `${sent} bytes`);
    assert.deepStrictEqual(leftOut, ['f6']);
    assert.strictEqual(overlay.length + leftOut.length, unsaved.length);
  });
});

test('below', () => {
  assert.strictEqual(below('/r', '/r/a/b.go'), 'a/b.go');
  assert.strictEqual(below('/r', '/r/..a'), '..a');
  for (const outside of ['/r', '/', '/rest/a.go', '/other']) assert.strictEqual(below('/r', outside), undefined);
});

test('inside follows links, and takes a file once', (t) => {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'quarry-vscode-')));
  t.after(() => fs.rmSync(home, { recursive: true, force: true }));
  fs.mkdirSync(path.join(home, 'real/a'), { recursive: true });
  fs.mkdirSync(path.join(home, 'elsewhere'));
  fs.writeFileSync(path.join(home, 'real/a/x.go'), '');
  fs.symlinkSync('a', path.join(home, 'real/b'));
  fs.symlinkSync('../elsewhere', path.join(home, 'real/out'));
  fs.symlinkSync('real', path.join(home, 'link'));
  const files = ['a/x.go', 'b/x.go', 'out/y.go', 'a/new/z.go'].map((f) => ({ file: path.join(home, 'link', f), content: f }));
  assert.deepStrictEqual(inside(path.join(home, 'link'), files), [
    { path: 'a/x.go', content: 'a/x.go' }, { path: 'a/new/z.go', content: 'a/new/z.go' },
  ]);
});
