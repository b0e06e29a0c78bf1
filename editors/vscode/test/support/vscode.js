'use strict';

/**
 * As much of the `vscode` module as the extension uses, over files on disk. It keeps what
 * the extension has shown, so that a test can look at it.
 */

const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

class Position {
  constructor(line, character) { Object.assign(this, { line, character }); }
}

class Range {
  constructor(start, end) { Object.assign(this, { start, end }); }
  get isSingleLine() { return this.start.line === this.end.line; }
  get active() { return this.end; }
}

class Uri {
  constructor(fsPath) { Object.assign(this, { scheme: 'file', fsPath }); }
  static file(p) { return new Uri(p); }
  static joinPath(uri, ...parts) { return new Uri(path.join(uri.fsPath, ...parts)); }
}

class EventEmitter {
  constructor() {
    this.heard = new Set();
    this.event = (f) => { this.heard.add(f); return { dispose: () => this.heard.delete(f) }; };
  }
  fire(e) { for (const f of this.heard) f(e); }
  dispose() { this.heard.clear(); }
}

class Document {
  constructor(fsPath) {
    this.uri = Uri.file(fsPath);
    this.text = fs.readFileSync(fsPath, 'utf8');
    this.isDirty = false;
  }
  /** Changes the buffer, not the file. */
  edit(text) { this.text = text; this.isDirty = true; }
  get lines() { return this.text.split('\n'); }
  get lineCount() { return this.lines.length; }
  lineAt(line) { return { text: this.lines[line] }; }
  getText(range) {
    if (!range) return this.text;
    return this.lines[range.start.line].slice(range.start.character, range.end.character);
  }
  getWordRangeAtPosition({ line, character }) {
    for (const word of this.lines[line].matchAll(/[\p{L}\p{N}_]+/gu)) {
      const end = word.index + word[0].length;
      if (word.index <= character && character <= end) {
        return new Range(new Position(line, word.index), new Position(line, end));
      }
    }
    return undefined;
  }
}

/**
 * @param {string} root of the one workspace folder
 * @param {Record<string, any>} settings by their whole names
 */
function fake(root, settings) {
  const shown = { errors: [], log: [], editors: [], status: undefined, view: undefined, focused: 0, progress: [] };
  const commands = new Map();
  const hovers = [];
  const documents = new Map();
  const configured = new EventEmitter();
  const open = (fsPath) => {
    if (!documents.has(fsPath)) documents.set(fsPath, new Document(fsPath));
    return documents.get(fsPath);
  };
  const inside = (uri) => uri.fsPath.startsWith(root + path.sep);
  const vscode = {
    Position, Range, Uri, EventEmitter,
    ThemeIcon: class { constructor(id) { this.id = id; } },
    TreeItem: class { constructor(label, state) { Object.assign(this, { label, collapsibleState: state }); } },
    TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
    StatusBarAlignment: { Left: 1 },
    ProgressLocation: { Notification: 15 },
    Hover: class { constructor(contents) { this.contents = contents; } },
    MarkdownString: class {
      constructor(value) { this.value = value; }
    },
    commands: {
      registerCommand(name, run) { commands.set(name, run); return { dispose: () => commands.delete(name) }; },
      async executeCommand(name, ...args) {
        if (name === 'quarry.results.focus') { shown.focused++; return undefined; }
        if (!commands.has(name)) throw new Error(`command '${name}' not found`);
        return commands.get(name)(...args);
      },
    },
    languages: {
      registerHoverProvider(_, provider) { hovers.push(provider); return { dispose() {} }; },
    },
    window: {
      activeTextEditor: undefined,
      createOutputChannel: () => ({ appendLine: (l) => shown.log.push(l), show() {}, dispose() {} }),
      createStatusBarItem: () => (shown.status = { show() { this.visible = true; }, dispose() {} }),
      createTreeView(id, { treeDataProvider }) {
        return (shown.view = { id, provider: treeDataProvider, reveal: async (r) => { shown.view.revealed = r; }, dispose() {} });
      },
      showErrorMessage: async (m) => { shown.errors.push(m); },
      showInputBox: async () => shown.typed,
      async showTextDocument(document, { selection }) {
        vscode.window.activeTextEditor = { document, selection };
        shown.editors.push({ path: document.uri.fsPath, line: selection.start.line, character: selection.start.character });
      },
      withProgress(options, work) {
        const cancelled = new EventEmitter();
        shown.progress.push({ title: options.title, cancel: () => cancelled.fire() });
        return work({ report() {} }, { onCancellationRequested: cancelled.event });
      },
    },
    workspace: {
      workspaceFolders: [{ uri: Uri.file(root) }],
      get textDocuments() { return [...documents.values()]; },
      getWorkspaceFolder: (uri) => (inside(uri) ? { uri: Uri.file(root) } : undefined),
      getConfiguration: (section) => ({ get: (key, value) => settings[`${section}.${key}`] ?? value }),
      onDidChangeConfiguration: configured.event,
      openTextDocument: async (uri) => open(uri.fsPath),
    },
  };
  /** Opens a file with the cursor on the n-th place where a text stands. */
  const putCursor = (file, text, nth = 0) => {
    const document = open(path.join(root, file));
    const places = [];
    document.lines.forEach((l, line) => {
      for (let at = l.indexOf(text); at >= 0; at = l.indexOf(text, at + 1)) places.push(new Position(line, at));
    });
    const selection = new Range(places[nth], places[nth]);
    vscode.window.activeTextEditor = { document, selection };
    return { document, position: places[nth] };
  };
  const never = { onCancellationRequested: () => ({ dispose() {} }) };
  const hover = async ({ document, position }, token = never) =>
    (await hovers[0].provideHover(document, position, token))?.contents.value;
  const reconfigure = (changed) => {
    Object.assign(settings, changed);
    configured.fire({ affectsConfiguration: () => true });
  };
  return { vscode, shown, commands, putCursor, hover, reconfigure };
}

/**
 * Activates the extension in a window of its own.
 *
 * @param {string} root
 * @param {Record<string, any>} settings
 */
function activate(root, settings) {
  const window = fake(root, settings);
  const load = Module._load;
  Module._load = (name, ...rest) => (name === 'vscode' ? window.vscode : load(name, ...rest));
  const base = path.join(__dirname, '../..');
  for (const file of Object.keys(require.cache)) {
    if (file.startsWith(path.join(base, 'lib')) || file === path.join(base, 'extension.js')) delete require.cache[file];
  }
  const context = { subscriptions: [] };
  try {
    require(path.join(base, 'extension.js')).activate(context);
  } finally {
    Module._load = load;
  }
  return { ...window, deactivate: () => context.subscriptions.forEach((s) => s.dispose()) };
}

module.exports = { activate };
