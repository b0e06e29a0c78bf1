// @ts-check
'use strict';

/** A language server as a process: requests, notifications, and what it says by itself. */

const { spawn } = require('node:child_process');
const { Problem } = require('./client');

/** Messages of the Language Server Protocol with a process, over its standard input and output. */
class Connection {
  /**
   * @param {string} program
   * @param {string[]} args
   * @param {string} folder
   * @param {(line: string) => void} log
   */
  constructor(program, args, folder, log) {
    this.log = log;
    this.last = 0;
    /** @type {Map<number, {resolve: (result: any) => void, reject: (err: Error) => void}>} */
    this.waiting = new Map();
    this.read = Buffer.alloc(0);
    /** @type {Error | undefined} */
    this.ended = undefined;
    this.process = spawn(program, args, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
    this.process.stdout.on('data', (data) => this.take(data));
    this.process.stdin.on('error', () => {}); // that it has ended is told by its exit
    this.process.on('error', (err) => this.end(new Problem(0, '', `${program}: ${err.message}`)));
    this.process.on('exit', (code) => this.end(new Problem(0, '', `${program} lsp ended with ${code}`)));
  }

  /** @param {Error} why */
  end(why) {
    this.ended ??= why;
    for (const { reject } of this.waiting.values()) reject(why);
    this.waiting.clear();
  }

  /** @param {object} message */
  send(message) {
    if (this.ended) return;
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  /**
   * @param {string} method
   * @param {object} params
   */
  notify(method, params) {
    this.send({ method, params });
  }

  /**
   * @param {string} method
   * @param {object} params
   * @param {import('vscode').CancellationToken} [token]
   * @returns {Promise<any>}
   */
  request(method, params, token) {
    if (this.ended) return Promise.reject(this.ended);
    const id = ++this.last;
    const heard = token?.onCancellationRequested(() => this.notify('$/cancelRequest', { id }));
    const answer = new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    this.send({ id, method, params });
    return answer.finally(() => heard?.dispose());
  }

  /** @param {Buffer} data */
  take(data) {
    this.read = Buffer.concat([this.read, data]);
    for (;;) {
      const head = this.read.indexOf('\r\n\r\n');
      const length = Number(/^content-length: *(\d+)/im.exec(this.read.toString('latin1', 0, Math.max(head, 0)))?.[1]);
      if (head < 0 || this.read.length < head + 4 + length) return;
      const body = this.read.toString('utf8', head + 4, head + 4 + length);
      this.read = this.read.subarray(head + 4 + length);
      this.hear(JSON.parse(body));
    }
  }

  /** @param {any} message */
  hear(message) {
    if (message.method) {
      if (message.method === 'window/logMessage') this.log(message.params.message);
      if (message.id !== undefined) this.send({ id: message.id, result: null });
      return;
    }
    const { resolve, reject } = this.waiting.get(message.id) ?? {};
    this.waiting.delete(message.id);
    if (message.error) reject?.(new Problem(0, '', message.error.message));
    else resolve?.(message.result);
  }

  /** Asks the process to end, which leaves the server of the index to others. */
  dispose() {
    this.request('shutdown', {}).then(() => this.notify('exit', {}), () => {});
  }
}

module.exports = { Connection };
