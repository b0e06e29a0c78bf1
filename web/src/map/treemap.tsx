import { useMemo } from "preact/hooks";
import { groupBy } from "../parts/group.js";
import { codeAddress } from "../parts/place.js";
import { go, href } from "../router.js";
import { type Rectangle, squarify } from "./squarify.js";
import { base, colourOf, facts, type Node, params, ranks, type State, type Tree } from "./state.js";

const width = 1200;
const height = 640;
const head = 16; // of a folder, for its name
const edge = 2;
const letter = 6.2;

interface Cell extends Rectangle {
  node: Node;
  level: number;
}

/** Lays out all nodes below the first one. */
export function cells(tree: Tree, size: State["size"]): Cell[] {
  const inside = groupBy(tree.nodes, (n) => n.parent);
  const out: Cell[] = [];
  const lay = (node: Node, at: Rectangle, level: number) => {
    const list = (inside.get(node.path) ?? []).filter((n) => n[size] > 0).toSorted((a, b) => b[size] - a[size]);
    squarify(
      list.map((n) => n[size]),
      at,
    ).forEach((r, i) => {
      const n = list[i];
      if (!n || r.width < 1 || r.height < 1) return;
      out.push({ ...r, node: n, level });
      if (!n.open) return;
      const room = r.height > 3 * head && r.width > 30 ? head : edge;
      lay(n, { x: r.x + edge, y: r.y + room, width: r.width - 2 * edge, height: r.height - room - edge }, level + 1);
    });
  };
  const root = tree.nodes[0];
  if (root?.kind === "file") return [{ x: 0, y: 0, width, height, node: root, level: 0 }];
  if (root) lay(root, { x: 0, y: 0, width, height }, 0);
  return out;
}

/** Draws the tree as nested boxes. It is for the eyes and the mouse: the table says the same. */
export function Treemap({ tree, state }: { tree: Tree; state: State }) {
  const list = useMemo(() => cells(tree, state.size), [tree, state.size]);
  const languages = useMemo(() => ranks(tree.languages), [tree]);
  const files = tree.nodes.filter((n) => n.kind === "file");
  const greatest = state.colour === "fan_in" || state.colour === "churn" ? Math.max(0, ...files.map((n) => n[state.colour as "churn"] ?? 0)) : 0;
  const root = tree.nodes[0];
  return (
    <svg class="treemap" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`A treemap of ${root?.path ?? ""}: ${root ? facts(root) : ""}. The table below says the same.`}>
      {list.map((c) => (
        <g key={c.node.path} onClick={() => open(c.node, state)} class="cell">
          <title>{`${c.node.path}\n${facts(c.node)}`}</title>
          <rect
            x={c.x.toFixed(1)}
            y={c.y.toFixed(1)}
            width={Math.max(c.width - 1, 0.5).toFixed(1)}
            height={Math.max(c.height - 1, 0.5).toFixed(1)}
            class={c.node.open ? "folder" : `leaf ${colourOf(c.node, state, languages, greatest)}`}
          />
          {c.height > head - 2 && c.width > 34 && (
            <text x={(c.x + 4).toFixed(1)} y={(c.y + 12).toFixed(1)}>
              {fitting(c.node, c.width)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

/** As much of a node's name as there is room for. */
function fitting(n: Node, room: number): string {
  const name = n.kind === "group" ? `${n.inside} more` : base(n.path);
  const letters = Math.floor((room - 6) / letter);
  return name.length <= letters ? name : letters < 3 ? "" : `${name.slice(0, letters - 1)}…`;
}

/** Goes to what a box is of: a folder as the whole picture, a file as code. */
function open(n: Node, state: State): void {
  if (n.kind === "file") {
    const code = codeAddress(n.path);
    if (code) go(code);
    return;
  }
  const path = n.kind === "group" ? n.parent : n.path;
  go(href("map", "", params({ ...state, path })));
}
