/**
 * What is asked about a name in the code.
 *
 * @module
 */
import { ask, type Schemas } from "../api.js";
import { type Spot } from "./tokens.js";

/** A symbol that a name may mean. */
export interface Meant extends Spot {
  symbol: string;
  kind: string;
  signature: string;
  /** Only the name speaks for it. */
  guessed: boolean;
}

/** What a place in the code names. */
export interface Named {
  name: string;
  meant: readonly Meant[];
  /** The line in which the name is declared, where it is a variable of the function. */
  local: number | undefined;
}

/** Finds what a place names; `column` is in bytes, from 1. */
export async function named(at: Spot & { column: number }, project: string, signal?: AbortSignal): Promise<Named> {
  const body = { path: at.file, line: at.line, column: at.column, ...(project ? { project } : {}) };
  const answer = (await ask("/definition", body, signal)) as Schemas["DefinitionResponse"];
  const of = (guessed: boolean) => (d: Schemas["Defined"]) => ({ symbol: d.symbol, file: d.file, line: d.name_line, kind: d.kind, signature: d.signature, guessed });
  return {
    name: answer.name,
    meant: [...answer.definitions.map(of(false)), ...answer.ambiguous.map(of(true))],
    local: answer.local?.line,
  };
}

/** A sentence about a symbol, "" where there is nothing to say. */
export async function summary(at: Spot, project: string, signal?: AbortSignal): Promise<string> {
  const answer = (await ask("/summarize", { symbol: `${at.file}:${at.line}`, level: "L1", ...(project ? { project } : {}) }, signal)) as Schemas["SummarizeResponse"];
  const [first = ""] = answer.summary.split("\n");
  return first.replace(/^- .*?:\d+ [^:]*: /, ""); // the place and the name are shown anyway
}

/** The lists that there are about a symbol. */
export const lists = { definition: "Definition", callers: "Callers", callees: "Callees", references: "References", tests: "Tests" } as const;
export type List = keyof typeof lists;

/** A place in such a list. */
export interface Entry extends Spot {
  /** The symbol that it is in, or that it is about. */
  symbol: string;
  /** How it uses the symbol, and how sure that is. */
  facts: string;
  test: boolean;
}

/** A list, and what it lacks. */
export interface Entries {
  entries: readonly Entry[];
  total: number;
  lacks: readonly string[];
}

const most = 100; // entries of a list

/** Asks for one of the lists about a symbol but its definition. */
export async function entries(of: Spot, list: Exclude<List, "definition">, project: string, signal: AbortSignal): Promise<Entries> {
  const common = { target: `${of.file}:${of.line}`, limit: most, ...(project ? { project } : {}) };
  if (list === "references") {
    const answer = (await ask("/references", common, signal)) as Schemas["ReferencesResponse"];
    const entry = (r: Schemas["Reference"]): Entry => ({ file: r.file, line: r.line, symbol: r.symbol, facts: facts(r.kind, r.confidence), test: r.test ?? false });
    return { entries: [...answer.references, ...answer.ambiguous].map(entry), total: answer.total, lacks: answer.incomplete ?? [] };
  }
  const how = list === "tests" ? { direction: "callers" as const, tests: "only" as const, depth: 3 } : { direction: list };
  const answer = (await ask("/calls", { ...common, ...how, ...(list === "tests" ? { group: true } : {}) }, signal)) as Schemas["CallsResponse"];
  const entry = (e: Schemas["CallEdge"]): Entry =>
    list === "callees"
      ? { file: e.to.file ?? "", line: e.to.line ?? 0, symbol: e.to.symbol, facts: facts(`called in line ${e.line}`, e.confidence), test: e.test ?? false }
      : { file: e.from.file, line: e.line, symbol: e.from.symbol, facts: facts(e.depth && e.depth > 1 ? `by ${e.depth} calls` : "", e.confidence), test: e.test ?? false };
  const lacks = [...(answer.incomplete ?? [])];
  if (list === "callees" && answer.unresolved.length > 0) lacks.push(`${answer.counts.unresolved} calls lead nowhere that is known: ${answer.unresolved.slice(0, 8).map((u) => u.name || "an expression").join(", ")}`);
  return { entries: [...answer.edges, ...answer.ambiguous].map(entry), total: answer.total, lacks };
}

function facts(how: string, confidence: string): string {
  return [how, confidence === "name" ? "only the name speaks for it" : ""].filter(Boolean).join(", ");
}

const trailKey = "quarry-trail";
const longest = 12;

/** The symbols that were looked at in this tab, the last one at the end. */
export function trail(): Meant[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(trailKey) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isMeant) : [];
  } catch {
    return [];
  }
}

function isMeant(value: unknown): value is Meant {
  return typeof value === "object" && value !== null && "file" in value && typeof value.file === "string" && "line" in value && typeof value.line === "number" && "symbol" in value && typeof value.symbol === "string";
}

/** Adds a symbol to the trail. */
export function visit(symbol: Meant): void {
  const same = (m: Meant) => m.file === symbol.file && m.line === symbol.line;
  const next = [...trail().filter((m) => !same(m)), symbol].slice(-longest);
  try {
    sessionStorage.setItem(trailKey, JSON.stringify(next));
  } catch {
    // The browser keeps nothing: there is no trail.
  }
}
