// @ts-check
'use strict';

/**
 * Requests to one server. It knows nothing of the editor: what is asked and how an
 * answer is shown stands elsewhere.
 */

/** The server gives a request at most 30 s; this is a little more. */
const TIMEOUT_MS = 35_000;

/** An answer that is not a success, in the server's own words. */
class Problem extends Error {
  /**
   * @param {number} status of HTTP; 0: there was no answer
   * @param {string} code as openapi.yaml lists them; '' without an answer
   * @param {string} message a sentence
   */
  constructor(status, code, message) {
    super(message);
    this.name = 'Problem';
    this.status = status;
    this.code = code;
  }
}

/** The user, or a later question, has called a request off. */
class Cancelled extends Error {
  constructor() {
    super('cancelled');
    this.name = 'Cancelled';
  }
}

/**
 * @typedef {object} Place where a server is, and as whom it is asked
 * @property {string} url without a slash at its end
 * @property {string} [token] that it asks for
 * @property {string} [project] that requests are about; absent: the server's first
 */

/**
 * Asks one endpoint.
 *
 * @param {Place} server
 * @param {string} endpoint such as `/search`
 * @param {object} fields of the request
 * @param {{signal?: AbortSignal, timeoutMs?: number}} [options] timeoutMs is 35 s by default
 * @returns {Promise<any>} the decoded answer
 * @throws {Problem} for any answer but a success, and for none
 * @throws {Cancelled} when the signal ends it
 */
async function ask(server, endpoint, fields, options = {}) {
  const late = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, late]) : late;
  /** @type {Record<string, string>} */
  const headers = { 'Content-Type': 'application/json' };
  if (server.token) headers.Authorization = `Bearer ${server.token}`;
  const body = JSON.stringify(server.project ? { project: server.project, ...fields } : fields);
  let status, text;
  try {
    const response = await fetch(server.url + endpoint, { method: 'POST', headers, body, signal });
    status = response.status;
    text = await response.text();
  } catch (err) {
    if (options.signal?.aborted) throw new Cancelled();
    if (late.aborted) throw new Problem(0, 'timeout', `${server.url} did not answer in time`);
    throw new Problem(0, 'unreachable', `${server.url} cannot be reached: ${reason(err)}`);
  }
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Problem(status, '', `${server.url}${endpoint} is not from a Quarry server`);
  }
  if (status !== 200) {
    throw new Problem(status, String(answer?.error ?? ''), String(answer?.message ?? `${endpoint} answered ${status}`));
  }
  return answer;
}

/** The innermost cause, which says it all: "connect ECONNREFUSED". */
function reason(err) {
  while (err?.cause) err = err.cause;
  return err?.message || err?.code || String(err);
}

module.exports = { ask, reason, Problem, Cancelled };
