'use strict';

/** What run.js has the real editor do: start, search, jump, ask who calls, hover. */

const assert = require('node:assert');
const vscode = require('vscode');

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Repeats what may come too early for an index that is being built. */
async function until(holds, what) {
  for (let i = 0; i < 100; i++) {
    const value = await holds();
    if (value) return value;
    await pause(100);
  }
  throw new Error(`after 10 s: not ${what}`);
}

async function run() {
  const extension = vscode.extensions.getExtension('quarry-search.quarry');
  assert.ok(extension, 'the extension is not there');
  const quarry = await extension.activate();
  const root = vscode.workspace.workspaceFolders[0].uri;
  const rows = () => quarry.panel.getChildren();
  const click = async (row) => {
    const { command } = quarry.panel.getTreeItem(row);
    await vscode.commands.executeCommand(command.command, ...command.arguments);
    const editor = vscode.window.activeTextEditor;
    return `${vscode.workspace.asRelativePath(editor.document.uri)}:${editor.selection.active.line + 1}`;
  };

  await until(async () => {
    await vscode.commands.executeCommand('quarry.search', 'how long to wait before the next attempt');
    return rows()[0]?.label === 'fetchWithRetry';
  }, 'found');
  assert.strictEqual(await click(rows()[0]), 'client/retry.ts:13');
  console.log('host: search and jump');

  const uri = vscode.Uri.joinPath(root, 'auth/token.go');
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document);
  const at = document.positionAt(document.getText().indexOf('Verify(token'));
  editor.selection = new vscode.Selection(at, at);
  await until(async () => {
    await vscode.commands.executeCommand('quarry.whoCalls');
    return rows().length === 2;
  }, 'two callers');
  assert.strictEqual(await click(rows()[0]), 'auth/token_test.go:13');
  console.log('host: who calls this');

  await vscode.window.showTextDocument(document);
  await vscode.commands.executeCommand('quarry.whatBreaks');
  assert.deepStrictEqual(rows().map((r) => r.label), ['Tests to run', 'Directly']);
  console.log('host: what breaks');

  const text = await until(async () => {
    const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', uri, at);
    return hovers.flatMap((h) => h.contents).map((c) => c.value ?? c).join('\n');
  }, 'a hover');
  assert.match(text, /Signer\.Verify: checks the signature/);
  console.log('host: hover');

  await vscode.workspace.getConfiguration('quarry').update('languages', ['go'], vscode.ConfigurationTarget.Workspace);
  await protocol(uri, document);

  const again = await vscode.window.showTextDocument(document);
  await again.edit((e) => e.insert(new vscode.Position(0, 0), '// not saved\n'));
  assert.ok(document.isDirty);
  await vscode.commands.executeCommand('quarry.whatBreaks');
  assert.deepStrictEqual(rows().map((r) => r.label), ['Tests to run', 'Directly']);
  console.log('host: a question with an unsaved file');
}

/** Definition, references, call hierarchy and hover, as the editor asks what `quarry lsp` says. */
async function protocol(uri, document) {
  const at = (text) => document.positionAt(document.getText().indexOf(text));
  const lines = (list, of) => list.map((l) => `${vscode.workspace.asRelativePath(of(l).uri)}:${(of(l).selectionRange ?? of(l).range).start.line + 1}`).sort();
  const verify = at('Verify(token');

  const test = vscode.Uri.joinPath(uri, '../token_test.go');
  const calling = await vscode.workspace.openTextDocument(test);
  const call = calling.positionAt(calling.getText().indexOf('Verify('));
  const definition = await until(async () => {
    const found = await vscode.commands.executeCommand('vscode.executeDefinitionProvider', test, call);
    return found.length > 0 && found;
  }, 'a definition');
  assert.deepStrictEqual(lines(definition, (l) => l), [`auth/token.go:${verify.line + 1}`]);
  console.log('host: definition by the protocol');

  const references = await vscode.commands.executeCommand('vscode.executeReferenceProvider', uri, verify);
  assert.ok(references.length >= 3, `${references.length} references`);
  assert.ok(lines(references, (l) => l).includes(`auth/token_test.go:${call.line + 1}`));
  console.log('host: references by the protocol');

  const [item] = await vscode.commands.executeCommand('vscode.prepareCallHierarchy', uri, verify);
  assert.strictEqual(item.name, 'Verify');
  const incoming = await vscode.commands.executeCommand('vscode.provideIncomingCalls', item);
  assert.deepStrictEqual(lines(incoming, (c) => c.from), ['auth/token_test.go:9']);
  assert.deepStrictEqual(incoming[0].fromRanges.map((r) => r.start.line), [call.line, call.line + 3]);
  const outgoing = await vscode.commands.executeCommand('vscode.provideOutgoingCalls', incoming[0].from);
  assert.ok(outgoing.some((c) => c.to.name === 'Verify'), outgoing.map((c) => c.to.name).join(', '));
  console.log('host: call hierarchy by the protocol, both ways');

  const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', uri, verify);
  const text = hovers.flatMap((h) => h.contents).map((c) => c.value ?? c);
  assert.strictEqual(text.length, 1, text.join('\n---\n'));
  assert.match(text[0], /func \(s \*?Signer\) Verify[^]*caller/);
  console.log('host: hover by the protocol');
}

module.exports = {
  run: () => run().catch((err) => {
    console.log(`host: ${err.message}`);
    throw err;
  }),
};
