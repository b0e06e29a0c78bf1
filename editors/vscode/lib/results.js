// @ts-check
'use strict';

/**
 * Answers of the server as rows of a list. A row that has a place can be jumped to; one
 * with children is a heading.
 */

/**
 * @typedef {object} Row
 * @property {string} label
 * @property {string} [description] next to the label, paler
 * @property {string} [tooltip]
 * @property {string} [icon] by the name that the editor knows it by
 * @property {{file: string, line: number, column?: number}} [place] line and column from 1, column in bytes
 * @property {Row[]} [children]
 */

/**
 * @typedef {object} Shown
 * @property {string} title what was asked
 * @property {string[]} notes sentences on what the answer is and is not
 * @property {Row[]} rows
 */

const at = (file, line) => `${file}:${line}`;
const count = (n, one, many) => `${n} ${n === 1 ? one : many}`;

/**
 * @param {any} answer of /search
 * @param {string} query
 * @returns {Shown}
 */
function search(answer, query) {
  const notes = [];
  if (answer.results.length === 0) notes.push('Nothing found.');
  else if (answer.meta.truncated) notes.push(`${answer.results.length} of ${answer.meta.matches}, the best first.`);
  else notes.push(`${count(answer.results.length, 'result', 'results')}.`);
  return {
    title: query,
    notes: [...notes, ...states(answer)],
    rows: answer.results.map((r) => ({
      label: r.symbol ?? r.signature.trim(),
      description: at(r.file, r.line) + stale(r),
      tooltip: r.content,
      icon: icon(r),
      place: { file: r.file, line: r.line },
    })),
  };
}

/**
 * @param {any} answer of /calls, of the callers
 * @param {string} name of what is called
 * @returns {Shown}
 */
function callers(answer, name) {
  const row = (e) => ({
    label: e.from.symbol || `(top level of ${e.from.file})`,
    description: at(e.from.file, e.line) + stale(e.from),
    tooltip: `${e.kind} ${e.to.symbol}; ${e.confidence}, by ${e.rule}`,
    icon: 'call-incoming',
    place: { file: e.from.file, line: e.line, column: e.column },
  });
  const rows = answer.edges.map(row);
  if (answer.ambiguous.length > 0) {
    rows.push(group('Perhaps', 'one of several, or by name alone', answer.ambiguous.map(row), 'question'));
  }
  const notes = [
    rows.length === 0 ? 'Nothing that is known calls it.' : `${count(answer.edges.length, 'call', 'calls')}.`,
    ...bounds(answer),
  ];
  return { title: `Who calls ${name}`, notes: [...notes, ...states(answer)], rows };
}

/**
 * @param {any} answer of /impact
 * @param {string} name of what is to be changed
 * @returns {Shown}
 */
function impact(answer, name) {
  const row = (c) => ({
    label: c.symbol || `(top level of ${c.file})`,
    description: at(c.file, c.call_sites[0] ?? c.line) + (c.depth > 1 ? ` · by ${c.via.symbol || at(c.via.file, c.via.line)}` : '') + stale(c),
    tooltip: `${c.kind}; ${c.confidence}; ${count(c.depth, 'step', 'steps')} away`,
    icon: c.test ? 'beaker' : 'symbol-method',
    place: { file: c.file, line: c.call_sites[0] ?? c.line },
  });
  /** @type {Row[]} */
  const rows = [];
  if (answer.tests.length > 0) {
    const tests = answer.tests.map((file) => ({ label: file, icon: 'beaker', place: { file, line: 1 } }));
    rows.push(group('Tests to run', String(tests.length), tests, 'beaker'));
  }
  const depths = [...new Set(answer.callers.map((c) => c.depth))].sort((a, b) => a - b);
  for (const depth of depths) {
    const some = answer.callers.filter((c) => c.depth === depth);
    rows.push(group(depth === 1 ? 'Directly' : `In ${depth} steps`, String(some.length), some.map(row), 'references'));
  }
  if (answer.ambiguous.length > 0) {
    rows.push(group('Perhaps', 'by name alone', answer.ambiguous.map(row), 'question'));
  }
  const notes = [
    answer.total === 0
      ? 'Nothing that is known depends on it.'
      : `${count(answer.total, 'place depends', 'places depend')} on it, in ${count(answer.files.length, 'file', 'files')}.`,
    ...bounds(answer),
  ];
  return { title: `What breaks with ${name}`, notes: [...notes, ...states(answer)], rows };
}

/** What an answer of the call graph leaves out or does not know. */
function bounds(answer) {
  const notes = [];
  if (answer.truncated) notes.push(`There are ${answer.total} in all; the rest is left out.`);
  if (!answer.complete) notes.push(`Perhaps not all: ${(answer.incomplete ?? ['some calls are not resolved']).join('; ')}.`);
  if (answer.alternatives) notes.push(`The name has ${count(answer.alternatives.length, 'other meaning', 'other meanings')}.`);
  if (answer.across) notes.push('Other projects of the server are not shown.');
  return notes;
}

/** What the index says of itself, when that is not simply "ready". */
function states(answer) {
  const { index, meta } = answer;
  const notes = [];
  if (index.state === 'indexing') {
    notes.push(`Still indexing, ${Math.floor(index.progress * 100)} %: this is of what is there.`);
  } else if (index.state === 'error') {
    notes.push('The last update of the index failed: this is of what was there before.');
  } else if (index.state === 'stale' || index.freshness === 'STALE') {
    notes.push(index.pending > 0
      ? `${count(index.pending, 'changed file is', 'changed files are')} not in the index yet.`
      : 'Changes are not in the index yet.');
  }
  if (meta.overlay?.graph_behind) notes.push('The call graph does not have the unsaved files yet: ask again.');
  if (meta.overlay?.left_out) {
    const files = meta.overlay.left_out.map((f) => `${f.path} (${f.reason})`);
    notes.push(`Unsaved and never in the index: ${files.join(', ')}.`);
  }
  if (meta.changed) notes.push(`${count(meta.changed, 'file', 'files')} changed since: lines may be off.`);
  return notes;
}

/** The state of the index in a word or two, for a status bar. */
function state(index) {
  switch (index.state) {
    case 'indexing': return `indexing ${Math.floor(index.progress * 100)} %`;
    case 'ready': return index.freshness === 'STALE' ? 'stale' : 'ready';
    default: return index.state;
  }
}

/** A warning about unsaved files that a request had no room for. */
function unsent(leftOut) {
  if (leftOut.length === 0) return [];
  return [`Unsaved and too much to send, as saved: ${leftOut.join(', ')}.`];
}

const stale = (place) => (place.changed ? ' · changed' : '');

const group = (label, description, children, icon) => ({ label, description, children, icon });

const icons = {
  function: 'symbol-function', method: 'symbol-method', class: 'symbol-class', struct: 'symbol-struct',
  interface: 'symbol-interface', enum: 'symbol-enum', constant: 'symbol-constant', variable: 'symbol-variable',
  field: 'symbol-field', module: 'symbol-namespace', type: 'symbol-class',
};

const icon = (r) => (r.role === 'test' ? 'beaker' : icons[r.kind] ?? 'symbol-file');

module.exports = { search, callers, impact, state, unsent };
