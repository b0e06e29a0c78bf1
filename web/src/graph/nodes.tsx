import { codeAddress } from "../parts/place.js";
import { href } from "../router.js";
import { sureness } from "./convert.js";
import { type Edge, type Graph, many, name, type Node, params, place, type State } from "./state.js";

const shownEdges = 8; // of a node in the list

/** The graph as a list: what the picture says, for the keyboard and for those who do not see it. */
export function Nodes({ graph, state, chosen, toggle }: { graph: Graph; state: State; chosen: string; toggle: (node: Node) => void }) {
  const names = new Map(graph.nodes.map((n) => [n.id, n]));
  const sections: [string, Node[]][] = [
    ["The target", graph.nodes.filter((n) => n.side === "target")],
    ["Between them", graph.nodes.filter((n) => n.side === "path")],
    ["What calls it", graph.nodes.filter((n) => (n.side === "caller" || n.side === "both") && !n.test)],
    ["What it calls", graph.nodes.filter((n) => n.side === "callee" && !n.test)],
    ["Tests", graph.nodes.filter((n) => n.test && n.side !== "target" && n.side !== "path")],
  ];
  return (
    <>
      {sections.map(
        ([title, nodes]) =>
          nodes.length > 0 && (
            <section key={title}>
              <h2>
                {title} <span class="muted">({nodes.length})</span>
              </h2>
              <ul class="nodes">
                {nodes.map((n) => (
                  <One key={n.id} node={n} state={state} expanded={state.expand.includes(n.id)} chosen={n.id === chosen} toggle={toggle}>
                    <Edges edges={graph.edges.filter((e) => e.from === n.id)} names={names} />
                  </One>
                ))}
              </ul>
            </section>
          ),
      )}
    </>
  );
}

/** A node, what can be done with it, and what it calls. */
function One({ node, state, expanded, chosen, toggle, children }: { node: Node; state: State; expanded: boolean; chosen: boolean; toggle: (n: Node) => void; children: preact.ComponentChildren }) {
  const code = node.file ? codeAddress(node.file, node.line) : undefined;
  const self = node.side === "target";
  const symbol = !many(node) && node.kind !== "top level";
  return (
    <li class={chosen ? "chosen" : undefined} id={`node ${node.id}`}>
      <button type="button" class="plain" data-item aria-expanded={self && !many(node) ? undefined : expanded} onClick={() => toggle(node)}>
        {name(node)}
      </button>{" "}
      <span class="muted">
        {code ? <a href={code}>{place(node)}</a> : place(node)}
        {node.depth > 1 && `, ${node.depth} steps`}
        {node.test && ", test"}
        {node.changed && ", changed since it was indexed"}
      </span>
      {symbol && !self && (
        <span class="ways">
          <a href={href("graph", "", params({ ...state, target: node.id, to: "", expand: [] }))}>Around it</a>
          {!state.to && <a href={href("graph", "", params({ ...state, to: node.id, expand: [] }))}>Paths to it</a>}
        </span>
      )}
      {symbol && (
        <span class="ways">
          <a href={href("impact", "", { target: node.id })}>What breaks</a>
        </span>
      )}
      {children}
    </li>
  );
}

/** What a node calls, with the places of the calls. */
function Edges({ edges, names }: { edges: readonly Edge[]; names: ReadonlyMap<string, Node> }) {
  if (edges.length === 0) return null;
  return (
    <ul class="edges">
      {edges.slice(0, shownEdges).map((e) => {
        const to = names.get(e.to);
        const sure = sureness(e);
        return (
          <li key={e.to}>
            {e.kind === "calls" ? "calls" : "names"} {to ? name(to) : e.to}
            {sure && <span class="muted"> ({sure})</span>}
            {e.sites.map((s) => {
              const address = codeAddress(s.file, s.line);
              const where = `${s.file}:${s.line}`;
              return (
                <span class="site" key={where}>
                  {address ? <a href={address}>{where}</a> : <span class="muted">{where}</span>} <code>{s.text}</code>
                </span>
              );
            })}
          </li>
        );
      })}
      {edges.length > shownEdges && <li class="muted">and {edges.length - shownEdges} more</li>}
    </ul>
  );
}
