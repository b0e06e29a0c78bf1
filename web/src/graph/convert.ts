import type { Arrow, Box } from "./picture.js";
import { type Edge, type Graph, many, name, type Node, place } from "./state.js";

/** The rows of nodes: callers above the target, what it calls below; between two targets by steps. */
export function rows(graph: Graph): Map<string, number> {
  if (graph.to) return steps(graph.nodes, graph.edges);
  return new Map(graph.nodes.map((n) => [n.id, n.side === "caller" || n.side === "both" ? -n.depth : n.depth]));
}

/** How many edges lead to each node from one that nothing leads to. */
function steps(nodes: readonly Node[], edges: readonly Edge[]): Map<string, number> {
  const into = new Set(edges.filter((e) => e.path && e.from !== e.to).map((e) => e.to));
  const found = new Map(nodes.filter((n) => !into.has(n.id) && n.side !== "caller").map((n) => [n.id, 0]));
  let last = [...found.keys()];
  for (let step = 1; last.length > 0; step++) {
    const next = new Set(edges.filter((e) => last.includes(e.from) && !found.has(e.to)).map((e) => e.to));
    for (const id of next) found.set(id, step);
    last = [...next];
  }
  return new Map(nodes.map((n) => [n.id, found.get(n.id) ?? -1]));
}

/** Makes a picture of a graph. */
export function picture(graph: Graph): { boxes: Box[]; arrows: Arrow[] } {
  const at = rows(graph);
  return {
    boxes: graph.nodes.map((n) => ({
      id: n.id,
      lines: [name(n), place(n)],
      row: at.get(n.id) ?? 0,
      look: n.side === "target" ? "target" : many(n) ? "many" : n.test ? "test" : "plain",
    })),
    arrows: graph.edges.map((e) => ({
      from: e.from,
      to: e.to,
      look: e.path ? "path" : e.ambiguous ? "ambiguous" : e.confidence === "exact" ? "exact" : "scoped",
      ...(e.count > 1 ? { label: String(e.count) } : {}),
    })),
  };
}

/** Says how sure an edge is. */
export function sureness(e: Edge): string {
  if (e.ambiguous) return e.confidence === "name" ? "by its name alone" : "one of several";
  return e.confidence === "exact" ? "" : "narrowed to few";
}

/** Says what a graph is, and what of it is not shown. */
export function summary(graph: Graph): string {
  const n = (count: number, one: string, several = `${one}s`) => `${count.toLocaleString("en")} ${count === 1 ? one : several}`;
  const groups = graph.nodes.filter((x) => x.kind === "group");
  const rest = groups.reduce((sum, g) => sum + g.count, 0);
  let text = `${n(graph.total, "node")} and ${n(graph.total_edges, "edge")}.`;
  if (groups.length > 0) text += ` ${n(rest, "symbol")} beyond the limit ${rest === 1 ? "is" : "are"} in ${n(groups.length, "group")}: click one to see more of it.`;
  const by = graph.meta.truncated_by ?? [];
  if (by.includes("depth")) text += " It goes on behind these steps.";
  if (by.includes("size") || by.includes("reached")) text += " It is too large to be given as a whole.";
  if (graph.nodes.length === 1) text += " Nothing leads to it or from it here.";
  return text;
}
