// @ts-check
'use strict';

/** The list of results in the side bar. */

const vscode = require('vscode');

/** @implements {vscode.TreeDataProvider<import('./results').Row>} */
class Panel {
  constructor() {
    this.changed = new vscode.EventEmitter();
    this.onDidChangeTreeData = this.changed.event;
    /** @type {import('./results').Row[]} */
    this.rows = [];
    this.root = '';
    this.view = vscode.window.createTreeView('quarry.results', { treeDataProvider: this });
  }

  /**
   * @param {string} root that the rows' files are below
   * @param {import('./results').Shown} shown
   */
  async show(root, shown) {
    this.root = root;
    this.rows = shown.rows;
    this.view.description = shown.title;
    // A view that is alone in its container shows no description.
    this.view.message = `${shown.title}: ${shown.notes.join(' ')}`;
    this.changed.fire(undefined);
    if (this.rows.length > 0) {
      // Headings are folded out by themselves; the first row says that there are some.
      await this.view.reveal(this.rows[0], { select: false, focus: false });
    } else {
      await vscode.commands.executeCommand('quarry.results.focus');
    }
  }

  /** @param {import('./results').Row} [row] */
  getChildren(row) {
    return row ? row.children ?? [] : this.rows;
  }

  /** @param {import('./results').Row} row */
  getParent(row) {
    return this.rows.find((r) => r.children?.includes(row));
  }

  /** @param {import('./results').Row} row */
  getTreeItem(row) {
    const { Expanded, None } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(row.label, row.children ? Expanded : None);
    item.description = row.description;
    item.tooltip = row.tooltip;
    if (row.icon) item.iconPath = new vscode.ThemeIcon(row.icon);
    if (row.place) item.command = { command: 'quarry.jump', title: 'Jump', arguments: [this.root, row.place] };
    return item;
  }

  dispose() {
    this.view.dispose();
    this.changed.dispose();
  }
}

module.exports = { Panel };
