'use strict';

/** Messages with `quarry lsp`, without an editor. */

const assert = require('node:assert');
const path = require('node:path');
const { test } = require('node:test');
const { Connection } = require('../lib/connection');
const { shop, ready } = require('./support/server');

test('asks quarry lsp, which says what is wrong as an error', async (t) => {
  const { root, settings } = await shop(t);
  await ready(root, settings);
  const said = [];
  const connection = new Connection(settings['quarry.path'], ['lsp', '--root', root, ...settings['quarry.args']], root, (line) => said.push(line));
  const { capabilities } = await connection.request('initialize', { processId: null, rootUri: `file://${root}`, capabilities: {} });
  assert.strictEqual(capabilities.callHierarchyProvider, true);
  connection.notify('initialized', {});
  const textDocument = { uri: `file://${path.join(root, 'client/retry.ts')}` };
  const [found] = await connection.request('textDocument/definition', { textDocument, position: { line: 12, character: 24 } });
  assert.strictEqual(found.range.start.line, 12);
  await assert.rejects(connection.request('quarry/nothing', {}), /quarry\/nothing/);
  const ended = new Promise((done) => connection.process.on('exit', done));
  connection.dispose();
  assert.strictEqual(await ended, 0);
  await assert.rejects(connection.request('textDocument/definition', {}), /ended with 0/);
});

test('a program that is not there', async () => {
  const connection = new Connection('/no/such/program', ['lsp'], '/', () => {});
  await assert.rejects(connection.request('initialize', {}), /no\/such\/program/);
});
