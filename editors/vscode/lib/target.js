// @ts-check
'use strict';

/**
 * What the cursor is on. On a call that is what is called, though it may be defined in
 * another file; elsewhere it is the definition around the cursor.
 */

/**
 * @typedef {object} Cursor
 * @property {string} path below the root
 * @property {number} line from 1
 * @property {number} [column] in bytes, from 1: where the word begins
 * @property {string} [word] absent between words
 */

/**
 * Finds what a call at the cursor leads to.
 *
 * @param {(endpoint: string, fields: object) => Promise<any>} ask
 * @param {Cursor} cursor
 * @returns {Promise<{target: string, name: string} | undefined>} undefined: no call is known there
 */
async function called(ask, cursor) {
  if (!cursor.word || !cursor.column) return undefined;
  const answer = await unless404(ask('/calls', { target: `${cursor.path}:${cursor.line}`, direction: 'callees', limit: 1000 }));
  const edge = answer?.edges.find((e) => e.from.file === cursor.path && e.line === cursor.line
    && e.column === cursor.column && e.to.file && e.to.symbol);
  // By its name, not its line: in an unsaved file lines are others than in the index.
  return edge && { target: `${edge.to.file}:${edge.to.symbol}`, name: edge.to.symbol };
}

/**
 * The target of a question about what the cursor is on.
 *
 * @param {(endpoint: string, fields: object) => Promise<any>} ask
 * @param {Cursor} cursor
 * @returns {Promise<{target: string, name: string}>} the name is for people
 */
async function target(ask, cursor) {
  return (await called(ask, cursor)) ?? { target: `${cursor.path}:${cursor.line}`, name: cursor.word ?? `${cursor.path}:${cursor.line}` };
}

/**
 * A line on what the word at the cursor is: what is called there, or what this file
 * defines by that very name. Nothing is guessed beyond that: a variable may have the name
 * of a function in some other file.
 *
 * @param {(endpoint: string, fields: object) => Promise<any>} ask
 * @param {Cursor} cursor
 * @returns {Promise<string | undefined>}
 */
async function summary(ask, cursor) {
  if (!cursor.word) return undefined;
  const call = await called(ask, cursor);
  const symbol = call ? call.target : `${cursor.path}:${cursor.word}`;
  const answer = await unless404(ask('/summarize', { symbol, level: 'L1', max_tokens: 100 }));
  const text = answer?.summary.replace(/^- /, '');
  if (!text) return undefined;
  // The server takes a name in another case, too: `cart` is not `Cart`.
  if (!call && !new RegExp(`:\\d+ (\\S+\\.)?${escape(cursor.word)}(:|\\s|$)`).test(text)) return undefined;
  return text;
}

const escape = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** @param {Promise<any>} answer */
async function unless404(answer) {
  try {
    return await answer;
  } catch (err) {
    if (/** @type {any} */ (err).status === 404 || /** @type {any} */ (err).status === 422) return undefined;
    throw err;
  }
}

module.exports = { called, target, summary };
