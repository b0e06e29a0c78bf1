import type { Schemas } from "../api.js";
import type { Search } from "./state.js";

/** A stretch of a line, and whether it is a match. */
export interface Stretch {
  text: string;
  match: boolean;
}

/**
 * Makes the expression by which the words of a query are found in lines; undefined where nothing
 * is to be marked. The server's own expressions are RE2's: one that JavaScript does not
 * take marks nothing.
 */
export function marker(search: Search, why: Schemas["Why"] | undefined): RegExp | undefined {
  if (search.mode === "regex") {
    if (slow(search.query)) return undefined;
    try {
      return new RegExp(search.query, "gu");
    } catch {
      return undefined;
    }
  }
  const words = [...(why?.words ?? []), ...search.query.split(/[^\p{L}\p{N}_]+/u)].filter((w) => w.length > 1);
  if (words.length === 0) return undefined;
  const longestFirst = [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, 50);
  return new RegExp(longestFirst.map((w) => w.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"), "giu");
}

/** Whether the browser might need too long for an expression, which RE2 does not: groups repeated, or many repetitions. */
function slow(expression: string): boolean {
  return /\)[*+{?]/.test(expression) || (expression.match(/[*+{]/g) ?? []).length > 3;
}

const longest = 500; // characters of a line in which matches are marked

/** Cuts a line into what matches and what does not; together they are the line. */
export function stretches(line: string, at: RegExp | undefined): Stretch[] {
  if (!at || line.length > longest) return [{ text: line, match: false }];
  const all: Stretch[] = [];
  let from = 0;
  for (const m of line.matchAll(at)) {
    if (m[0] === "") continue;
    if (m.index > from) all.push({ text: line.slice(from, m.index), match: false });
    all.push({ text: m[0], match: true });
    from = m.index + m[0].length;
  }
  if (from < line.length || all.length === 0) all.push({ text: line.slice(from), match: false });
  return all;
}

/**
 * Chooses the lines to show of a result: the first, which has the signature, and those that
 * match, in their order. Returns their indices.
 */
export function chosen(lines: readonly string[], at: RegExp | undefined, most: number): number[] {
  if (lines.length <= most) return lines.map((_, i) => i);
  const matching = at ? lines.flatMap((line, i) => (i > 0 && line.search(at) >= 0 ? [i] : [])) : [];
  const rest = lines.map((_, i) => i).filter((i) => i > 0 && !matching.includes(i));
  return [0, ...[...matching, ...rest].slice(0, most - 1)].sort((a, b) => a - b);
}
