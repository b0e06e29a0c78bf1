'use strict';

const assert = require('node:assert');
const { test } = require('node:test');
const results = require('../lib/results');
const { index, meta } = require('./support/server');

const nothing = { edges: [], ambiguous: [], complete: true, total: 0, truncated: false, index, meta };

test('a list that is empty says so', () => {
  assert.deepStrictEqual(results.search({ results: [], index, meta }, 'q').notes, ['Nothing found.']);
  assert.deepStrictEqual(results.callers(nothing, 'f').notes, ['Nothing that is known calls it.']);
  const broken = results.impact({ ...nothing, callers: [], tests: [], files: [] }, 'f');
  assert.deepStrictEqual(broken.notes, ['Nothing that is known depends on it.']);
});

test('an index that is not ready is said to be so', () => {
  const notes = (changes, m = meta) => results.search({ results: [], index: { ...index, ...changes }, meta: m }, 'q').notes.slice(1);
  assert.deepStrictEqual(notes({}), []);
  assert.deepStrictEqual(notes({ state: 'indexing', progress: 0.419 }), ['Still indexing, 41 %: this is of what is there.']);
  assert.deepStrictEqual(notes({ state: 'stale', freshness: 'STALE', pending: 2 }), ['2 changed files are not in the index yet.']);
  assert.deepStrictEqual(notes({ freshness: 'STALE' }), ['Changes are not in the index yet.']);
  assert.match(notes({ state: 'error' })[0], /failed/);
  assert.deepStrictEqual(notes({}, { ...meta, changed: 1 }), ['1 file changed since: lines may be off.']);
  assert.deepStrictEqual(notes({}, { ...meta, overlay: { files: 1, graph_behind: true, left_out: [{ path: '.env', reason: 'secret' }] } }), [
    'The call graph does not have the unsaved files yet: ask again.', 'Unsaved and never in the index: .env (secret).',
  ]);
  const word = (changes) => results.state({ ...index, ...changes });
  assert.deepStrictEqual([word({}), word({ state: 'indexing', progress: 0.5 }), word({ freshness: 'STALE' }), word({ state: 'error' })],
    ['ready', 'indexing 50 %', 'stale', 'error']);
});

test('what is left out or not known is said', () => {
  const edge = {
    from: { symbol: '', file: 'a.py', line: 1, changed: true }, to: { symbol: 'f', file: 'b.py', line: 1 },
    line: 7, column: 3, kind: 'calls', confidence: 'name', rule: 'name',
  };
  const shown = results.callers({
    ...nothing, ambiguous: [edge], complete: false, incomplete: ['a call through reflection'], total: 300, truncated: true,
    alternatives: [{}], across: {},
  }, 'f');
  assert.deepStrictEqual(shown.notes, [
    '0 calls.', 'There are 300 in all; the rest is left out.', 'Perhaps not all: a call through reflection.',
    'The name has 1 other meaning.', 'Other projects of the server are not shown.',
  ]);
  assert.deepStrictEqual(shown.rows.map((r) => r.label), ['Perhaps']);
  const [row] = shown.rows[0].children;
  assert.strictEqual(`${row.label} | ${row.description}`, '(top level of a.py) | a.py:7 · changed');
  assert.deepStrictEqual(row.place, { file: 'a.py', line: 7, column: 3 });
  assert.deepStrictEqual(results.unsent(['x', 'y']), ['Unsaved and too much to send, as saved: x, y.']);
});

test('results of a search', () => {
  const r = { file: 'a.go', line: 3, end_line: 4, content: 'c', score: 0.5, signature: '  x := 1 ' };
  const shown = results.search({ results: [r, { ...r, symbol: 's', role: 'test' }], index, meta: { ...meta, matches: 9, truncated: true } }, 'q');
  assert.deepStrictEqual(shown.notes, ['2 of 9, the best first.']);
  assert.deepStrictEqual(shown.rows.map((row) => [row.label, row.description, row.icon]),
    [['x := 1', 'a.go:3', 'symbol-file'], ['s', 'a.go:3', 'beaker']]);
});
