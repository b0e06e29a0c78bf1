// @ts-check
'use strict';

/** Quarry in Visual Studio Code: commands, the list of results, the hover. */

const vscode = require('vscode');
const { Cancelled, Problem } = require('./lib/client');
const { Hover } = require('./lib/hover');
const { Language } = require('./lib/language');
const { pack } = require('./lib/overlay');
const { Panel } = require('./lib/panel');
const results = require('./lib/results');
const { Servers } = require('./lib/server');
const { target } = require('./lib/target');
const workspace = require('./lib/workspace');

/** One window of the editor. */
class Quarry {
  /** @param {vscode.ExtensionContext} context */
  constructor(context) {
    this.output = vscode.window.createOutputChannel('Quarry');
    this.status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
    this.status.command = 'quarry.showLog';
    this.panel = new Panel();
    this.servers = new Servers(settings, (line) => this.log(line));
    /** @type {AbortController | undefined} of the question that is being asked */
    this.asking = undefined;
    const hover = new Hover((folder, signal) => (endpoint, fields) => this.ask(folder, endpoint, fields, { signal }));
    this.language = new Language(settings, (line) => this.log(line));
    context.subscriptions.push(
      this.output, this.language, this.status, this.panel,
      vscode.commands.registerCommand('quarry.search', (query) => this.command((signal) => this.search(signal, query))),
      vscode.commands.registerCommand('quarry.whoCalls', () => this.command((signal) => this.whoCalls(signal))),
      vscode.commands.registerCommand('quarry.whatBreaks', () => this.command((signal) => this.whatBreaks(signal))),
      vscode.commands.registerCommand('quarry.jump', (root, place) => workspace.jump(root, place)),
      vscode.commands.registerCommand('quarry.showLog', () => this.output.show()),
      vscode.languages.registerHoverProvider({ scheme: 'file' }, hover),
      vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration('quarry') && this.changed()),
      { dispose: () => this.asking?.abort() },
    );
  }

  /** Takes settings that have changed. */
  changed() {
    this.servers.forget();
    this.language.register();
  }

  /** @param {string} line */
  log(line) {
    this.output.appendLine(`${new Date().toISOString()} ${line}`);
  }

  /**
   * Asks the server of a folder, with the unsaved files where they count.
   *
   * @param {string} folder
   * @param {string} endpoint
   * @param {object} fields
   * @param {{signal?: AbortSignal, timeoutMs?: number}} [options]
   * @returns {Promise<any>} the answer, and in `unsent` the paths of unsaved files that were too much
   */
  async ask(folder, endpoint, fields, options) {
    let leftOut = [];
    if (overlaid.has(endpoint) && vscode.workspace.getConfiguration('quarry').get('overlay.enabled', true)) {
      const packed = pack(workspace.unsaved(folder), fields);
      if (packed.overlay.length > 0) fields = { ...fields, overlay: packed.overlay };
      leftOut = packed.leftOut;
      if (leftOut.length > 0) this.log(`${endpoint}: unsaved and too much to send: ${leftOut.join(', ')}`);
    }
    const answer = await this.servers.ask(folder, endpoint, fields, options);
    this.say(answer.index, leftOut);
    return { ...answer, unsent: leftOut };
  }

  /** Puts the state of the index into the status bar. */
  say(index, leftOut) {
    if (!index) return;
    this.status.text = `$(search) Quarry: ${results.state(index)}${leftOut.length > 0 ? ' $(warning)' : ''}`;
    this.status.tooltip = [`${index.root}, generation ${index.generation}`, ...results.unsent(leftOut)].join('\n');
    this.status.show();
  }

  /**
   * Runs a question of the user; the one before it, if it still runs, is called off.
   *
   * @param {(signal: AbortSignal) => Promise<void>} question
   */
  async command(question) {
    this.asking?.abort();
    const own = (this.asking = new AbortController());
    try {
      await question(own.signal);
    } catch (err) {
      if (err instanceof Cancelled || own.signal.aborted) return;
      this.log(err instanceof Problem ? err.message : String(/** @type {any} */ (err)?.stack ?? err));
      vscode.window.showErrorMessage(`Quarry: ${/** @type {Error} */ (err).message}`);
    } finally {
      if (this.asking === own) this.asking = undefined;
    }
  }

  /**
   * Shows that something runs, with a way to stop it.
   *
   * @template T
   * @param {AbortSignal} signal
   * @param {string} title
   * @param {(signal: AbortSignal) => Promise<T>} work
   * @returns {Thenable<T>}
   */
  waiting(signal, title, work) {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return vscode.window.withProgress(options, (_, token) => {
      const stop = new AbortController();
      const heard = token.onCancellationRequested(() => stop.abort());
      return work(AbortSignal.any([signal, stop.signal])).finally(() => heard.dispose());
    });
  }

  /** The folder that is asked about, or the user is told that there is none. */
  folder() {
    const folder = workspace.folder();
    if (!folder) throw new Problem(0, '', 'open a folder first');
    return folder;
  }

  /**
   * @param {AbortSignal} signal
   * @param {string} [query] absent: the user is asked, and what is selected is proposed
   */
  async search(signal, query) {
    const folder = this.folder();
    if (typeof query !== 'string') {
      const editor = vscode.window.activeTextEditor;
      const value = editor?.selection.isSingleLine ? editor.document.getText(editor.selection) : '';
      query = await vscode.window.showInputBox({ prompt: 'What to find: words, a name, a question', value });
    }
    if (!query?.trim() || signal.aborted) return;
    const words = query.trim();
    const limit = vscode.workspace.getConfiguration('quarry').get('limit', 20);
    const answer = await this.waiting(signal, 'Quarry: searching', (s) =>
      this.ask(folder, '/search', { query: words, limit, shape: 'quarry' }, { signal: s }));
    await this.show(folder, answer, results.search(answer, words));
  }

  /** @param {AbortSignal} signal */
  whoCalls(signal) {
    return this.around(signal, 'Quarry: who calls this', async (ask, folder, of) => {
      const answer = await ask('/calls', { target: of.target, direction: 'callers' });
      await this.show(folder, answer, results.callers(answer, answer.definition?.symbol ?? of.name));
    });
  }

  /** @param {AbortSignal} signal */
  whatBreaks(signal) {
    const depth = vscode.workspace.getConfiguration('quarry').get('depth', 3);
    return this.around(signal, 'Quarry: what breaks', async (ask, folder, of) => {
      const answer = await ask('/impact', { target: of.target, depth });
      await this.show(folder, answer, results.impact(answer, answer.definition?.symbol ?? of.name));
    });
  }

  /**
   * Asks about what the cursor is on.
   *
   * @param {AbortSignal} signal
   * @param {string} title
   * @param {(ask: (endpoint: string, fields: object) => Promise<any>, folder: string,
   *   of: {target: string, name: string}) => Promise<void>} question
   */
  async around(signal, title, question) {
    const folder = this.folder();
    const editor = vscode.window.activeTextEditor;
    const cursor = editor && workspace.cursor(folder, editor.document, editor.selection.active);
    if (!cursor) throw new Problem(0, '', 'put the cursor on a symbol of a file in the folder first');
    await this.waiting(signal, title, async (s) => {
      const ask = (endpoint, fields) => this.ask(folder, endpoint, fields, { signal: s });
      await question(ask, folder, await target(ask, cursor));
    });
  }

  async show(folder, answer, shown) {
    shown.notes.push(...results.unsent(answer.unsent));
    await this.panel.show(folder, shown);
  }
}

/** The endpoints that take unsaved files. */
const overlaid = new Set(['/search', '/context', '/calls', '/impact']);

/** @returns {import('./lib/server').Settings} */
function settings() {
  const c = vscode.workspace.getConfiguration('quarry');
  return {
    path: c.get('path', 'quarry'),
    args: c.get('args', []),
    url: c.get('url', ''),
    tokenFile: c.get('tokenFile', ''),
  };
}

/** @param {vscode.ExtensionContext} context */
function activate(context) {
  return new Quarry(context);
}

/** The server is left to others who ask it; it ends by its own idle timeout, if it has one. */
function deactivate() {}

module.exports = { activate, deactivate };
