/**
 * Lines of code as they are shown: in tokens that have a class, with names that can be asked about.
 * Columns of the page are UTF-16 units from 0, those of the API bytes from 1.
 *
 * @module
 */

/** A part of a line that is shown in one way. */
export interface Token {
  text: string;
  /** The class of the server, "plain" where there is none; "control" stands for a character that could hide what a line says. */
  kind: string;
  /** Where it begins in the line. */
  start: number;
  /** It can be asked what it means. */
  name: boolean;
}

const silent = new Set(["comment", "string", "keyword", "number", "operator", "punctuation"]);
const parts = /[\p{L}_$@][\p{L}\p{N}\p{M}_$?!]*|[\u202a-\u202e\u2066-\u2069\u200e\u200f]/gu;
const controls = /[\u202a-\u202e\u2066-\u2069\u200e\u200f]/u;

/** Splits a line by its stretches (begin, end and number of a class, three numbers each) and by the names in it. */
export function tokens(line: string, stretches: readonly number[], classes: readonly string[]): Token[] {
  const all: Token[] = [];
  let at = 0;
  for (let i = 0; i + 2 < stretches.length; i += 3) {
    const [from = 0, to = 0, number = 0] = stretches.slice(i, i + 3);
    split(all, line, at, from, "plain");
    split(all, line, from, to, classes[number] ?? "plain");
    at = to;
  }
  split(all, line, at, line.length, "plain");
  return all;
}

function split(all: Token[], line: string, from: number, to: number, kind: string): void {
  if (from >= to) return;
  const text = line.slice(from, to);
  if (silent.has(kind) && !controls.test(text)) {
    all.push({ text, kind, start: from, name: false });
    return;
  }
  let at = 0;
  for (const found of text.matchAll(parts)) {
    const control = controls.test(found[0]);
    if (!control && silent.has(kind)) continue;
    if (found.index > at) all.push({ text: text.slice(at, found.index), kind, start: from + at, name: false });
    all.push({ text: found[0], kind: control ? "control" : kind, start: from + found.index, name: !control });
    at = found.index + found[0].length;
  }
  if (at < text.length) all.push({ text: text.slice(at), kind, start: from + at, name: false });
}

/** What is shown for a token: a character that turns the direction of writing is named instead. */
export function shown(token: Token): string {
  return token.kind === "control" ? `[U+${token.text.charCodeAt(0).toString(16).toUpperCase()}]` : token.text;
}

const encoder = new TextEncoder();

/** The column of the API of a place in a line. */
export function byteColumn(line: string, start: number): number {
  return encoder.encode(line.slice(0, start)).length + 1;
}

/** Lines of a file, from 1, the last one included. */
export interface Range {
  from: number;
  to: number;
}

/** Reads what stands behind # in an address: L12 or L12-20. */
export function parseRange(hash: string): Range | undefined {
  const found = /^L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(hash);
  const from = Number(found?.[1]);
  if (!found || from < 1) return undefined;
  const to = found[2] === undefined ? from : Number(found[2]);
  return to < from ? { from: Math.max(to, 1), to: from } : { from, to };
}

/** Writes what parseRange reads; "" for no lines. */
export function formatRange(range: Range | undefined): string {
  if (!range) return "";
  return range.to > range.from ? `L${range.from}-${range.to}` : `L${range.from}`;
}

/** A file and a line in it. */
export interface Spot {
  file: string;
  line: number;
}

/** Reads FILE:LINE and FILE:LINE:COLUMN; a colon may be part of a file's name. */
export function parseSpot(text: string): Spot | undefined {
  const found = /^(.+?):(\d{1,9})(?::\d{1,9})?$/.exec(text.trim());
  const line = Number(found?.[2]);
  return found?.[1] !== undefined && line > 0 ? { file: found[1], line } : undefined;
}
