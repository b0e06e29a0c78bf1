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

  const again = await vscode.window.showTextDocument(document);
  await again.edit((e) => e.insert(new vscode.Position(0, 0), '// not saved\n'));
  assert.ok(document.isDirty);
  await vscode.commands.executeCommand('quarry.whatBreaks');
  assert.deepStrictEqual(rows().map((r) => r.label), ['Tests to run', 'Directly']);
  console.log('host: a question with an unsaved file');
}

module.exports = {
  run: () => run().catch((err) => {
    console.log(`host: ${err.message}`);
    throw err;
  }),
};
