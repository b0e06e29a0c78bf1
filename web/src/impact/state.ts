import type { Body, Schemas } from "../api.js";
import type { Arrow, Box } from "../graph/picture.js";
import type { Params } from "../router.js";

export type Impact = Schemas["ImpactResponse"];
export type Caller = Schemas["Caller"];

export const ways = { target: "A symbol", diff: "A diff", git: "What git says" } as const;
const most = 300; // callers that are drawn and listed

/** What is asked about. A diff is not in the address, which it could be too long for: this tab keeps it. */
export interface State {
  way: keyof typeof ways;
  target: string;
  base: string;
}

/** Reads an address. */
export function read(p: URLSearchParams): State {
  const way = p.get("way") ?? "";
  return { way: Object.hasOwn(ways, way) ? (way as State["way"]) : "target", target: p.get("target") ?? "", base: p.get("base") ?? "" };
}

/** Writes an address. */
export function params(s: State): Params {
  return { way: s.way === "target" ? "" : s.way, target: s.way === "target" ? s.target : "", base: s.way === "git" ? s.base : "" };
}

const diffKey = "quarry-diff";
let kept: string | undefined;

/** The diff that was pasted last into this tab. */
export function keptDiff(): string {
  try {
    kept ??= sessionStorage.getItem(diffKey) ?? "";
  } catch {
    kept ??= "";
  }
  return kept;
}

/** Keeps a diff until the tab is closed, or as long as the page is open where the browser keeps nothing. */
export function keepDiff(diff: string): void {
  kept = diff;
  try {
    sessionStorage.setItem(diffKey, diff);
  } catch {
    // Too long, or forbidden.
  }
}

/** The question, undefined where there is none yet. */
export function request(s: State, diff: string, project: string): Body<"/impact"> | undefined {
  const common = { commands: true, limit: most, ...(project ? { project } : {}) };
  switch (s.way) {
    case "target":
      return s.target ? { target: s.target, ...common } : undefined;
    case "diff":
      return diff.trim() ? { diff, ...common } : undefined;
    case "git":
      return { git: true, ...(s.base ? { base: s.base } : {}), ...common };
  }
}

/** A place as the key of a box. */
export function idOf(p: { file: string; line: number; symbol: string }): string {
  return `${p.file}:${p.line}:${p.symbol}`;
}

/** Makes a picture of what is affected: what is changed on top, and below it what depends on it, by steps. */
export function picture(a: Impact): { boxes: Box[]; arrows: Arrow[] } {
  const boxes = new Map<string, Box>();
  const arrows: Arrow[] = [];
  const add = (p: { file: string; line: number; symbol: string }, row: number, look: Box["look"]) => {
    const id = idOf(p);
    if (!boxes.has(id)) boxes.set(id, { id, lines: [p.symbol || "top level", `${p.file}:${p.line}`], row, look });
    return id;
  };
  for (const c of a.changed ?? []) add(c, 0, "target");
  const sure = new Set(a.callers);
  const all = [...a.callers, ...a.ambiguous].toSorted((x, y) => x.depth - y.depth);
  for (const c of all) if (c.depth === 1) add(c.via, 0, "target");
  for (const c of all) {
    const via = add(c.via, c.depth - 1, "plain");
    const id = add(c, c.depth, c.test ? "test" : "plain");
    arrows.push({ from: id, to: via, look: !sure.has(c) ? "ambiguous" : c.confidence === "exact" ? "exact" : "scoped" });
  }
  return { boxes: [...boxes.values()].slice(0, most), arrows };
}

const reasons: Record<string, string> = {
  deleted: "the new text no longer has it",
  no_edges: "the call graph has no edges of its kind, and not all places that mean it are known",
  no_graph: "its language has no call graph",
  not_indexed: "its file is not in the index",
  other_text: "the file in the index matches the diff neither before nor after it",
};

/** Says why not all dependents of something are known. */
export function reason(why: string): string {
  return reasons[why] ?? why;
}

/** Says how much is affected. */
export function summary(a: Impact): string {
  const shown = a.callers.length + a.ambiguous.length;
  const n = (count: number, one: string) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
  if (a.total === 0) return a.complete ? "Nothing depends on it." : "Nothing that is known depends on it; see below what is not known.";
  const maybe = a.counts.ambiguous > 0 ? `, ${a.counts.ambiguous.toLocaleString("en")} of them perhaps` : "";
  const part = shown < a.total ? ` The nearest ${shown} are shown.` : "";
  return `${n(a.total, "symbol")} in ${n(a.files.length, "file")} may break${maybe}; ${n(a.tests.length, "test file")} to run.${part}`;
}
