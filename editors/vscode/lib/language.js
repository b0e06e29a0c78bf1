// @ts-check
'use strict';

/** Definitions, references, the call hierarchy and hovers of `quarry lsp`, in the languages of the settings. */

const vscode = require('vscode');
const { Connection } = require('./connection');

/**
 * @implements {vscode.DefinitionProvider}
 * @implements {vscode.ReferenceProvider}
 * @implements {vscode.CallHierarchyProvider}
 * @implements {vscode.HoverProvider}
 */
class Language {
  /**
   * @param {() => import('./server').Settings} settings
   * @param {(line: string) => void} log
   */
  constructor(settings, log) {
    this.settings = settings;
    this.log = log;
    /** @type {Map<string, {connection: Connection, ready: Promise<any>, sent: Map<string, number>}>} by folder */
    this.servers = new Map();
    /** @type {vscode.Disposable[]} */
    this.registered = [];
    this.register();
  }

  /** The languages that are asked about; '*': all. */
  static languages() {
    return vscode.workspace.getConfiguration('quarry').get('languages', []);
  }

  /** @param {string} language */
  static has(language) {
    return Language.languages().some((l) => l === '*' || l === language);
  }

  /** Registers what the settings have now, and ends the servers of the settings before. */
  register() {
    this.dispose();
    const of = Language.languages().map((language) => ({ scheme: 'file', language }));
    if (of.length === 0) return;
    this.registered = [
      vscode.languages.registerDefinitionProvider(of, this),
      vscode.languages.registerReferenceProvider(of, this),
      vscode.languages.registerCallHierarchyProvider(of, this),
      vscode.languages.registerHoverProvider(of, this),
    ];
  }

  dispose() {
    for (const { connection } of this.servers.values()) connection.dispose();
    this.servers.clear();
    for (const provider of this.registered.splice(0)) provider.dispose();
  }

  /** @param {string} folder */
  of(folder) {
    let server = this.servers.get(folder);
    if (!server || server.connection.ended) {
      const { path, args, tokenFile } = this.settings();
      const more = tokenFile ? ['--token-file', tokenFile] : [];
      const connection = new Connection(path, ['lsp', '--root', folder, ...more, ...args], folder, this.log);
      const uri = vscode.Uri.file(folder).toString();
      const ready = connection.request('initialize', {
        processId: process.pid, rootUri: uri, workspaceFolders: [{ uri, name: folder }],
        capabilities: { general: { positionEncodings: ['utf-16'] } },
      }).then(() => connection.notify('initialized', {}));
      server = { connection, ready, sent: new Map() };
      this.servers.set(folder, server);
    }
    return server;
  }

  /**
   * Asks the server of a file's folder, which is told before of all that is not saved.
   *
   * @param {vscode.Uri} file
   * @param {string} method
   * @param {object} params
   * @param {vscode.CancellationToken} [token]
   */
  async ask(file, method, params, token) {
    const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.fsPath;
    if (!folder) return null;
    const server = this.of(folder);
    await server.ready;
    if (vscode.workspace.getConfiguration('quarry').get('overlay.enabled', true)) this.tell(server);
    return server.connection.request(method, params, token);
  }

  /** @param {{connection: Connection, sent: Map<string, number>}} server */
  tell({ connection, sent }) {
    const dirty = vscode.workspace.textDocuments.filter((d) => d.isDirty && d.uri.scheme === 'file');
    for (const d of dirty) {
      const uri = d.uri.toString();
      if (sent.get(uri) === d.version) continue;
      const [version, text] = [d.version, d.getText()];
      if (sent.has(uri)) connection.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges: [{ text }] });
      else connection.notify('textDocument/didOpen', { textDocument: { uri, version, text, languageId: d.languageId } });
      sent.set(uri, version);
    }
    for (const uri of [...sent.keys()].filter((u) => !dirty.some((d) => d.uri.toString() === u))) {
      connection.notify('textDocument/didClose', { textDocument: { uri } });
      sent.delete(uri);
    }
  }

  /**
   * @param {vscode.TextDocument} document
   * @param {vscode.Position} at
   */
  place(document, at) {
    return { textDocument: { uri: document.uri.toString() }, position: { line: at.line, character: at.character } };
  }

  async provideDefinition(document, position, token) {
    return places(await this.ask(document.uri, 'textDocument/definition', this.place(document, position), token));
  }

  async provideReferences(document, position, { includeDeclaration }, token) {
    const params = { ...this.place(document, position), context: { includeDeclaration } };
    return places(await this.ask(document.uri, 'textDocument/references', params, token));
  }

  async provideHover(document, position, token) {
    const found = await this.ask(document.uri, 'textDocument/hover', this.place(document, position), token);
    return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), found.range && range(found.range));
  }

  async prepareCallHierarchy(document, position, token) {
    const found = await this.ask(document.uri, 'textDocument/prepareCallHierarchy', this.place(document, position), token);
    return found?.map(item);
  }

  async provideCallHierarchyIncomingCalls(of, token) {
    const found = await this.ask(of.uri, 'callHierarchy/incomingCalls', { item: of.own }, token);
    return found?.map((c) => new vscode.CallHierarchyIncomingCall(item(c.from), c.fromRanges.map(range)));
  }

  async provideCallHierarchyOutgoingCalls(of, token) {
    const found = await this.ask(of.uri, 'callHierarchy/outgoingCalls', { item: of.own }, token);
    return found?.map((c) => new vscode.CallHierarchyOutgoingCall(item(c.to), c.fromRanges.map(range)));
  }
}

const range = ({ start, end }) => new vscode.Range(start.line, start.character, end.line, end.character);

const places = (found) => [found ?? []].flat().map((l) => new vscode.Location(vscode.Uri.parse(l.uri), range(l.range)));

/** An item of the editor for one of the protocol, which goes back to the server as it came. */
function item(own) {
  const { name, kind, detail = '', uri } = own;
  const made = new vscode.CallHierarchyItem(kind - 1, name, detail, vscode.Uri.parse(uri), range(own.range), range(own.selectionRange));
  return Object.assign(made, { own });
}

module.exports = { Language };
