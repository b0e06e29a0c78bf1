import type { Body, Schemas } from "../api.js";
import type { Params } from "../router.js";

export type Tree = Schemas["MapResponse"];
export type Node = Schemas["MapNode"];

export const colours = { lang: "Language", fan_in: "Dependents", churn: "Churn", coverage: "Coverage" } as const;
export const sizes = { lines: "Lines", bytes: "Bytes" } as const;
export const shows = { files: "Folders and files", modules: "Modules and what they depend on" } as const;
export const about = { with: "With tests", without: "Without tests", only: "Only tests" } as const;
export const classes = 10; // of languages with a colour of their own
const nodes = 1500;

/** What is shown: all of it stands in the address. */
export interface State {
  show: keyof typeof shows;
  path: string;
  colour: keyof typeof colours;
  size: keyof typeof sizes;
  tests: keyof typeof about;
}

function key<T extends object>(table: T, text: string | null, usual: keyof T): keyof T {
  return text !== null && Object.hasOwn(table, text) ? (text as keyof T) : usual;
}

/** What of tests is shown where nothing is said: they make dependencies that the program does not have. */
function usual(show: State["show"]): State["tests"] {
  return show === "modules" ? "without" : "with";
}

/** Reads an address. */
export function read(p: URLSearchParams): State {
  const show = key(shows, p.get("show"), "files");
  return {
    show,
    path: p.get("path") ?? "",
    colour: key(colours, p.get("colour"), "lang"),
    size: key(sizes, p.get("size"), "lines"),
    tests: key(about, p.get("tests"), usual(show)),
  };
}

/** Writes an address; what has its default is left out. */
export function params(s: State): Params {
  return {
    show: s.show === "files" ? "" : s.show,
    path: s.path === "." ? "" : s.path,
    colour: s.colour === "lang" ? "" : s.colour,
    size: s.size === "lines" ? "" : s.size,
    tests: s.tests === usual(s.show) ? "" : s.tests,
  };
}

/** The question for folders and files. */
export function request(s: State, project: string): Body<"/map"> {
  return { limit: nodes, depth: 6, tests: s.tests, ...(s.path ? { path: s.path } : {}), ...(project ? { project } : {}) };
}

/** The last name of a path. */
export function base(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The folders around a path, the root first, itself last. */
export function around(path: string): { name: string; path: string }[] {
  const parts = path === "" || path === "." ? [] : path.split("/");
  return [{ name: "all", path: "" }, ...parts.map((name, i) => ({ name, path: parts.slice(0, i + 1).join("/") }))];
}

/** How many files of a node are left out. */
export function leftOut(n: Node): number {
  return Object.values(n.left_out ?? {}).reduce((sum, count) => sum + count, 0);
}

/** Gives each language a class of colours: those with the most lines one of their own, the rest the last. */
export function ranks(languages: Readonly<Record<string, number>>): Map<string, number> {
  const sorted = Object.entries(languages).sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return new Map(sorted.map(([name], i) => [name, Math.min(i, classes)]));
}

const steps = 5;

/** How strong a colour is, 0 to 5, by the logarithm of a number against the greatest; undefined where there is no number. */
export function strength(value: number | null, greatest: number): number | undefined {
  if (value === null) return undefined;
  if (value <= 0 || greatest <= 0) return 0;
  return Math.min(steps, Math.max(1, Math.ceil((steps * Math.log1p(value)) / Math.log1p(greatest))));
}

/** The class of a node's colour, for the style sheet. */
export function colourOf(n: Node, s: State, languages: ReadonlyMap<string, number>, greatest: number): string {
  switch (s.colour) {
    case "lang":
      return n.lang || n.files > 0 ? `lang${languages.get(n.lang || "text") ?? classes}` : "none";
    case "coverage": {
      const out = leftOut(n);
      if (out === 0) return "heat0";
      return `heat${Math.min(steps, Math.ceil((steps * out) / (out + n.files)))}`;
    }
    default: {
      const at = strength(n[s.colour], greatest);
      return at === undefined ? "none" : `heat${at}`;
    }
  }
}

/** The figures of a node, in words. */
export function facts(n: Node): string {
  const parts = [`${n.lines.toLocaleString("en")} lines`];
  if (n.kind !== "file") parts.push(`${n.files.toLocaleString("en")} files`);
  if (n.lang) parts.push(n.lang);
  if (n.fan_in !== null) parts.push(`${n.fan_in.toLocaleString("en")} files depend on it`);
  if (n.churn !== null) parts.push(`changed by ${n.churn.toLocaleString("en")} commits`);
  for (const [why, count] of Object.entries(n.left_out ?? {})) parts.push(`${count} left out: ${why}`);
  return n.kind === "left out" ? `left out of the index: ${Object.keys(n.left_out ?? {}).join(", ")}` : parts.join(", ");
}
