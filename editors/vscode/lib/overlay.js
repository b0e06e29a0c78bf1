// @ts-check
'use strict';

/**
 * Unsaved files, as a request carries them: `overlay: [{path, content}]`. The server
 * answers as if they were saved and forgets them; they never enter its index.
 */

const fs = require('node:fs');
const path = require('node:path');

/** Files that a request may carry. */
const MAX_FILES = 32;
/** Bytes of a request, all of it. */
const MAX_BYTES = 1 << 20;

/**
 * Packs what fits into one request. What is too much is left out by size, the largest
 * first, and named.
 *
 * @param {{path: string, content: string}[]} unsaved by path below the root
 * @param {object} fields of the request that are sent besides them
 * @returns {{overlay: {path: string, content: string}[], leftOut: string[]}} both by path
 */
function pack(unsaved, fields) {
  const sized = unsaved.map((file) => ({ file, bytes: Buffer.byteLength(JSON.stringify(file)) + 1 }));
  sized.sort((a, b) => a.bytes - b.bytes || (a.file.path < b.file.path ? -1 : 1));
  // The name of the project is added later; 8 KiB are more than it may have.
  let room = MAX_BYTES - Buffer.byteLength(JSON.stringify({ ...fields, overlay: [] })) - 8192;
  const overlay = [];
  const leftOut = [];
  for (const { file, bytes } of sized) {
    if (overlay.length < MAX_FILES && bytes <= room) {
      overlay.push(file);
      room -= bytes;
    } else {
      leftOut.push(file.path);
    }
  }
  overlay.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { overlay, leftOut: leftOut.sort() };
}

/**
 * Drops what is not below a root once links are followed, and what comes a second time by
 * another name: the server refuses both.
 *
 * @param {string} root absolute
 * @param {{file: string, content: string}[]} files by their absolute paths
 * @returns {{path: string, content: string}[]} by path below the root
 */
function inside(root, files) {
  const real = resolve(root);
  const found = new Map();
  for (const { file, content } of files) {
    const rel = below(real, resolve(file));
    if (rel && !found.has(rel)) found.set(rel, { path: rel, content });
  }
  return [...found.values()];
}

/** A path without links, of a file that need not be there yet. */
function resolve(file) {
  try {
    return fs.realpathSync.native(file);
  } catch {
    const dir = path.dirname(file);
    return dir === file ? file : path.join(resolve(dir), path.basename(file));
  }
}

/**
 * The path of a file below a root, with `/`, as the server has it.
 *
 * @param {string} root absolute
 * @param {string} file absolute
 * @returns {string | undefined} undefined for what is not below it
 */
function below(root, file) {
  const rel = path.relative(root, file);
  if (rel === '' || rel === '..' || rel.startsWith('..' + path.sep) || path.isAbsolute(rel)) return undefined;
  return rel.split(path.sep).join('/');
}

module.exports = { pack, inside, below, MAX_FILES, MAX_BYTES };
