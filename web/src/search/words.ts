import type { Schemas } from "../api.js";

/** Says in words why a result is there. */
export function because(why: Schemas["Why"]): string {
  const parts: string[] = [];
  if (why.words.length > 0) parts.push(`${why.words.length === 1 ? "word" : "words"} ${why.words.join(", ")}`);
  if (why.symbol) parts.push(`symbol ${why.symbol}`);
  if (why.meaning !== undefined && why.meaning !== null) parts.push(`meaning ${why.meaning.toFixed(2)}`);
  return parts.length > 0 ? parts.join("; ") : "no word, no name";
}

const cuts: Record<string, string> = {
  per_file: "Of one file, no more are shown.",
  min_score: "Those below the least score are left out.",
  matches: "More than 10,000 lines match, and the rest is not counted.",
  places: "More than 50,000 places have the name, and the rest is not counted.",
  left_out: "Lines of files that the index leaves out match, too.",
  time: "The time was up.",
  size: "The answer would have been larger than 1 MiB.",
};

/** Says how much was found, and what of it is not shown. */
export function amount(shown: number, meta: Schemas["SearchMeta"]): string {
  const places = (n: number) => `${n.toLocaleString("en")} ${n === 1 ? "place" : "places"}`;
  const by = (meta.truncated_by ?? []).filter((b) => b !== "limit").map((b) => cuts[b] ?? `Cut: ${b}.`);
  if (shown === 0 && !meta.truncated) {
    return meta.unindexed ? "Nothing could match: no file at or below this path is in the index." : "Nothing matches.";
  }
  const all = shown >= meta.matches ? places(shown) : `The first ${shown.toLocaleString("en")} of ${places(meta.matches)}`;
  return [`${all}.`, ...by].join(" ");
}

/** Says what the answer may lack since the index is not what the files are now; nothing where it is. */
export function lacks(index: Schemas["Index"], meta?: Schemas["SearchMeta"]): string[] {
  const all: string[] = [];
  const percent = (share: number) => `${Math.floor(share * 100)} %`;
  if (index.state === "indexing") all.push(`The index is still being built (${percent(index.progress)}): what is not in it yet is not found.`);
  else if (index.state === "error") all.push("The last build of the index failed: see the status.");
  else if (index.vectors < 1) all.push(`By meaning only ${percent(index.vectors)} of the code can be found yet.`);
  if (index.empty) all.push("No file is indexed yet.");
  if (index.freshness !== "FRESH" && index.state !== "indexing") all.push("The index may be older than the files: they have not been compared yet.");
  if (index.pending > 0) all.push(`${index.pending} changed ${index.pending === 1 ? "path is" : "paths are"} not in the index yet.`);
  if (meta?.changed) all.push(`${meta.changed} of these files ${meta.changed === 1 ? "has" : "have"} changed since they were indexed.`);
  if (meta?.unchecked) all.push(`${meta.unchecked} of these files were not compared with what was indexed.`);
  return all;
}
