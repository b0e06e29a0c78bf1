import type { Params } from "../router.js";

/** What looks, in the words of `/search`, and how the page calls it. */
export const modes = {
  hybrid: "Everything",
  semantic: "Meaning",
  lexical: "Words",
  symbol: "Symbols",
  regex: "Regex",
} as const;

/** What of test code is among the results. */
export const tests = { with: "With tests", without: "Without tests", only: "Only tests" } as const;

export type Mode = keyof typeof modes;
export type Tests = keyof typeof tests;

/** What is searched for: all of it stands in the address. */
export interface Search {
  query: string;
  mode: Mode;
  tests: Tests;
  path: string;
  lang: string[];
  kind: string[];
  /** Results at most. */
  limit: number;
}

/** Results that are shown at first, and at most. */
export const firstLimit = 20;
export const lastLimit = 100;

/** Reads it from the parameters of an address; what is not understood has its default. */
export function read(p: URLSearchParams): Search {
  const mode = p.get("mode") ?? "";
  const about = p.get("tests") ?? "";
  const limit = Number(p.get("limit") ?? firstLimit);
  return {
    query: p.get("q") ?? "",
    mode: isKey(modes, mode) ? mode : "hybrid",
    tests: isKey(tests, about) ? about : "with",
    path: p.get("path") ?? "",
    lang: words(p.getAll("lang")),
    kind: words(p.getAll("kind")),
    limit: limit > 0 ? Math.min(Math.ceil(limit), lastLimit) : firstLimit,
  };
}

/** Writes it as parameters of an address; what has its default is left out. */
export function params(s: Search): Params {
  return {
    q: s.query,
    mode: s.mode === "hybrid" ? "" : s.mode,
    tests: s.tests === "with" ? "" : s.tests,
    path: s.path,
    lang: s.lang,
    kind: s.kind,
    limit: s.limit === firstLimit ? "" : s.limit,
  };
}

function isKey<T extends object>(table: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(table, key);
}

/** Lists the words of texts, which commas and spaces part, each once. */
export function words(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap((t) => t.split(/[\s,]+/)).filter((w) => w !== ""))];
}
