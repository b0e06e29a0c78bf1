import type { Body, Schemas } from "../api.js";
import type { Params } from "../router.js";

export type Graph = Schemas["GraphResponse"];
export type Node = Schemas["GraphNode"];
export type Edge = Schemas["GraphEdge"];

export const directions = { both: "Both ways", callers: "What calls it", callees: "What it calls" } as const;
export const levels = { "": "Symbols", class: "Classes", file: "Files", folder: "Folders" } as const;
export const about = { with: "With tests", without: "Without tests", only: "Only tests" } as const;
export const deepest = 10;
export const most = 300; // nodes

/** What is shown: all of it stands in the address. */
export interface State {
  target: string;
  to: string;
  direction: keyof typeof directions;
  depth: number;
  collapse: keyof typeof levels;
  expand: string[];
  tests: keyof typeof about;
  path: string;
  limit: number;
}

function key<T extends object>(table: T, text: string | null, usual: keyof T): keyof T {
  return text !== null && Object.hasOwn(table, text) ? (text as keyof T) : usual;
}

function count(text: string | null, usual: number, most: number): number {
  const n = Math.floor(Number(text));
  return n >= 1 ? Math.min(n, most) : usual;
}

/** Reads an address. What it does not know has its default. */
export function read(p: URLSearchParams): State {
  return {
    target: p.get("target") ?? "",
    to: p.get("to") ?? "",
    direction: key(directions, p.get("direction"), "both"),
    depth: count(p.get("depth"), 1, deepest),
    collapse: key(levels, p.get("collapse"), ""),
    expand: [...new Set(p.getAll("expand"))].slice(0, 32),
    tests: key(about, p.get("tests"), "with"),
    path: p.get("path") ?? "",
    limit: count(p.get("limit"), 100, most),
  };
}

/** Writes an address; what has its default is left out. */
export function params(s: State): Params {
  return {
    target: s.target,
    to: s.to,
    direction: s.direction === "both" || s.to ? "" : s.direction,
    depth: s.depth === 1 || s.to ? "" : s.depth,
    collapse: s.collapse,
    expand: s.expand,
    tests: s.tests === "with" ? "" : s.tests,
    path: s.path,
    limit: s.limit === 100 ? "" : s.limit,
  };
}

/** The question. Between two targets there is neither direction nor depth. */
export function request(s: State, project: string): Body<"/graph"> {
  return {
    target: s.target,
    snippets: true,
    limit: s.limit,
    tests: s.tests,
    ...(s.to ? { to: s.to } : { direction: s.direction, depth: s.depth }),
    ...(s.collapse ? { collapse: s.collapse } : {}),
    ...(s.expand.length > 0 ? { expand: s.expand } : {}),
    ...(s.path ? { path: s.path } : {}),
    ...(project ? { project } : {}),
  };
}

/** Whether a node is no symbol: what it stands for can be shown. */
export function many(n: Node): boolean {
  return n.kind === "group" || n.kind === "folder" || n.kind === "file" || (n.id.includes("#") && n.kind !== "top level" && n.count > 1);
}

/** The name of a node, in one line. */
export function name(n: Node): string {
  const folder = n.folder ? `${n.folder}/` : "./";
  switch (n.kind) {
    case "group":
      return `${n.count} more in ${folder}`;
    case "folder":
      return folder;
    case "file":
      return n.file ?? "";
    case "top level":
      return `${n.file ?? ""}, outside of definitions`;
    default:
      return n.symbol ?? n.id;
  }
}

/** Where a node is, in one line. */
export function place(n: Node): string {
  if (n.kind === "group" || n.kind === "folder" || n.kind === "file") return `${n.count} ${n.count === 1 ? "symbol" : "symbols"}`;
  return n.line ? `${n.file ?? ""}:${n.line}` : (n.file ?? "");
}
