// @ts-check
'use strict';

/**
 * Which server answers for a folder: the one that the settings name, else the one that
 * `quarry ensure` finds or starts.
 */

const { execFile } = require('node:child_process');
const fs = require('node:fs/promises');
const { ask, Problem } = require('./client');

/** A server that must be started listens within a second or so; a cold disk may take longer. */
const ENSURE_MS = 30_000;

/**
 * @typedef {object} Settings
 * @property {string} path of the program
 * @property {string[]} args of `quarry ensure`, after its own
 * @property {string} url of a server; '': ensure says it
 * @property {string} tokenFile '': no token
 */

/** The servers of the folders of a window, each found once. Safe for requests that overlap. */
class Servers {
  /**
   * @param {() => Settings} settings as they are at the time of a request
   * @param {(line: string) => void} log
   */
  constructor(settings, log) {
    this.settings = settings;
    this.log = log;
    /** @type {Map<string, Promise<import('./client').Place>>} by folder */
    this.known = new Map();
  }

  /** Forgets all of them, after the settings have changed. */
  forget() {
    this.known.clear();
  }

  /**
   * @param {string} folder absolute
   * @returns {Promise<import('./client').Place>}
   */
  of(folder) {
    let found = this.known.get(folder);
    if (!found) {
      found = this.find(folder);
      this.known.set(folder, found);
      // What went wrong is told to the caller that asked; the next one tries again.
      found.catch(() => this.known.get(folder) === found && this.known.delete(folder));
    }
    return found;
  }

  /** @param {string} folder */
  async find(folder) {
    const s = this.settings();
    const token = s.tokenFile ? await readToken(s.tokenFile) : undefined;
    if (s.url) return { url: s.url.replace(/\/+$/, ''), token, project: undefined };
    const said = await ensure(s, folder);
    this.log(`the server of ${folder} is ${said.url}, process ${said.pid}`);
    return { url: said.url, token, project: said.root };
  }

  /**
   * Asks the server of a folder. One that has ended since it was found, for want of
   * questions or otherwise, is looked for once more: all that is asked here only reads,
   * so asking twice does no harm.
   *
   * @param {string} folder
   * @param {string} endpoint
   * @param {object} fields
   * @param {{signal?: AbortSignal, timeoutMs?: number}} [options]
   */
  async ask(folder, endpoint, fields, options) {
    const server = await this.of(folder);
    try {
      return await ask(server, endpoint, fields, options);
    } catch (err) {
      if (!(err instanceof Problem) || !['unreachable', 'wrong_project', 'unauthorized'].includes(err.code)) throw err;
      this.known.delete(folder);
      if (this.settings().url && err.code !== 'unauthorized') throw err;
      this.log(`${err.message}; looking for the server again`);
      return ask(await this.of(folder), endpoint, fields, options);
    }
  }
}

/**
 * @param {Settings} settings
 * @param {string} folder
 * @returns {Promise<{pid: number, url: string, root: string}>}
 */
function ensure(settings, folder) {
  const args = ['ensure', '--project', folder, '--json'];
  if (settings.tokenFile) args.push('--token-file', settings.tokenFile);
  args.push(...settings.args);
  return new Promise((resolve, reject) => {
    execFile(settings.path, args, { timeout: ENSURE_MS, windowsHide: true }, (err, stdout, stderr) => {
      if (/** @type {any} */ (err)?.code === 'ENOENT') {
        return reject(new Problem(0, '', `${settings.path} is not there: say in quarry.path where the program is`));
      }
      if (err) {
        const said = stderr.trim() || (err.killed ? `no answer within ${ENSURE_MS / 1000} s` : err.message);
        return reject(new Problem(0, '', `quarry ensure: ${said}`));
      }
      try {
        const said = JSON.parse(stdout);
        if (typeof said.url !== 'string' || typeof said.root !== 'string') throw new Error('no url');
        resolve(said);
      } catch {
        reject(new Problem(0, '', `${settings.path} ensure --json printed no address: is it Quarry?`));
      }
    });
  });
}

/** @param {string} file */
async function readToken(file) {
  try {
    return (await fs.readFile(file, 'utf8')).trim();
  } catch (err) {
    throw new Problem(0, '', `token file ${file}: ${/** @type {Error} */ (err).message}`);
  }
}

module.exports = { Servers };
