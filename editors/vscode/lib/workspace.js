// @ts-check
'use strict';

/** What the editor has open: folders, the cursor, files that are not saved. */

const vscode = require('vscode');
const { below, inside } = require('./overlay');

/**
 * The folder that a question is about: the one of the file in the active editor, else the
 * first.
 *
 * @param {vscode.TextDocument} [document]
 * @returns {string | undefined} absolute; undefined: no folder on this machine is open
 */
function folder(document = vscode.window.activeTextEditor?.document) {
  const own = document && vscode.workspace.getWorkspaceFolder(document.uri);
  const some = own ?? vscode.workspace.workspaceFolders?.find((f) => f.uri.scheme === 'file');
  return some?.uri.scheme === 'file' ? some.uri.fsPath : undefined;
}

/**
 * The files below a root that are open and not saved.
 *
 * @param {string} root absolute
 * @returns {{path: string, content: string}[]}
 */
function unsaved(root) {
  const dirty = vscode.workspace.textDocuments.filter((doc) => doc.isDirty && doc.uri.scheme === 'file');
  return inside(root, dirty.map((doc) => ({ file: doc.uri.fsPath, content: doc.getText() })));
}

/**
 * What a position is on, in the server's terms: lines from 1, columns in bytes from 1.
 *
 * @param {string} root absolute
 * @param {vscode.TextDocument} document
 * @param {vscode.Position} position
 * @returns {import('./target').Cursor | undefined} undefined outside of the root
 */
function cursor(root, document, position) {
  const path = document.uri.scheme === 'file' ? below(root, document.uri.fsPath) : undefined;
  if (!path) return undefined;
  const range = document.getWordRangeAtPosition(position);
  const line = position.line + 1;
  if (!range) return { path, line };
  const before = document.lineAt(position.line).text.slice(0, range.start.character);
  return { path, line, column: Buffer.byteLength(before) + 1, word: document.getText(range) };
}

/**
 * Opens a file at a place.
 *
 * @param {string} root absolute
 * @param {{file: string, line: number, column?: number}} place line and column from 1, column in bytes
 */
async function jump(root, place) {
  const uri = vscode.Uri.joinPath(vscode.Uri.file(root), place.file);
  const document = await vscode.workspace.openTextDocument(uri);
  // The file may have become shorter since it was indexed.
  const line = Math.min(place.line, document.lineCount) - 1;
  const text = document.lineAt(line).text;
  const column = place.column
    ? Buffer.from(text).subarray(0, place.column - 1).toString().length
    : text.length - text.trimStart().length;
  const start = new vscode.Position(line, column);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(start, start) });
}

module.exports = { folder, unsaved, cursor, jump };
