// @ts-check
'use strict';

/** What a symbol does, where the pointer rests. */

const vscode = require('vscode');
const { Language } = require('./language');
const { summary } = require('./target');
const workspace = require('./workspace');

/** A hover that comes later than this comes too late. */
const HOVER_MS = 500;

/** @implements {vscode.HoverProvider} */
class Hover {
  /** @param {(folder: string, signal: AbortSignal) => (endpoint: string, fields: object) => Promise<any>} asking */
  constructor(asking) {
    this.asking = asking;
  }

  /**
   * Gives nothing when there is nothing to say, and after HOVER_MS. Whatever goes wrong
   * is nothing to say: nobody has asked for it.
   *
   * @param {vscode.TextDocument} document
   * @param {vscode.Position} position
   * @param {vscode.CancellationToken} token
   * @returns {Promise<vscode.Hover | undefined>}
   */
  async provideHover(document, position, token) {
    if (!vscode.workspace.getConfiguration('quarry').get('hover.enabled', true)) return undefined;
    if (Language.has(document.languageId)) return undefined; // its hover says this, and more
    const folder = workspace.folder(document);
    const cursor = folder ? workspace.cursor(folder, document, position) : undefined;
    if (!folder || !cursor?.word) return undefined;
    const stop = new AbortController();
    const heard = token.onCancellationRequested(() => stop.abort());
    const late = new Promise((done) => {
      stop.signal.addEventListener('abort', () => done(undefined), { once: true });
    });
    const timer = setTimeout(() => stop.abort(), HOVER_MS);
    try {
      // A server that is only being started does not hold up the hover.
      const text = await Promise.race([summary(this.asking(folder, stop.signal), cursor), late]);
      return text ? new vscode.Hover(new vscode.MarkdownString(plain(String(text)))) : undefined;
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
      heard.dispose();
    }
  }
}

/**
 * Text that Markdown shows as it is. The editor's own appendText makes every blank one
 * that no line is broken at.
 */
const plain = (text) => text.replace(/[\\`*_{}[\]()#+!~<>|&-]/g, '\\$&');

module.exports = { Hover };
