import { codeAddress } from "../parts/place.js";
import { href } from "../router.js";
import { base, leftOut, type Node, params, type State, type Tree } from "./state.js";

const shown = 200; // rows

/** What is directly in the folder that is shown, with its figures: what the picture says, in words. */
export function Table({ tree, state }: { tree: Tree; state: State }) {
  const root = tree.nodes[0];
  if (!root) return null;
  const rows = tree.nodes.filter((n) => n.parent === root.path && n !== root);
  const sorted = rows.toSorted((a, b) => value(b, state) - value(a, state));
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="What is in the folder">
      <table>
        <caption>
          {root.path === "." ? "All" : root.path}: {root.files.toLocaleString("en")} files, {root.lines.toLocaleString("en")} lines
          {leftOut(root) > 0 && `, ${leftOut(root).toLocaleString("en")} files left out`}
        </caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Lines</th>
            <th scope="col">Bytes</th>
            <th scope="col">Language</th>
            <th scope="col">Dependents</th>
            <th scope="col">Commits</th>
            <th scope="col">Left out</th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, shown).map((n) => (
            <tr key={n.path}>
              <th scope="row">
                <Name node={n} state={state} />
              </th>
              <td>{n.lines.toLocaleString("en")}</td>
              <td>{n.bytes.toLocaleString("en")}</td>
              <td>{n.lang}</td>
              <td>{n.fan_in === null ? "" : n.fan_in.toLocaleString("en")}</td>
              <td>{n.churn === null ? "" : n.churn.toLocaleString("en")}</td>
              <td>
                {Object.entries(n.left_out ?? {})
                  .map(([why, count]) => `${count} ${why}`)
                  .join(", ")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > shown && <p class="muted">and {sorted.length - shown} more, which are smaller</p>}
    </div>
  );
}

/** By what rows are sorted: what the boxes are coloured by, or their size. */
function value(n: Node, s: State): number {
  switch (s.colour) {
    case "fan_in":
    case "churn":
      return n[s.colour] ?? -1;
    case "coverage":
      return leftOut(n);
    default:
      return n[s.size];
  }
}

function Name({ node, state }: { node: Node; state: State }) {
  switch (node.kind) {
    case "folder":
      return <a href={href("map", "", params({ ...state, path: node.path }))}>{base(node.path)}/</a>;
    case "file": {
      const code = codeAddress(node.path);
      return code ? <a href={code}>{base(node.path)}</a> : <>{base(node.path)}</>;
    }
    case "group":
      return <>{node.inside} more</>;
    default:
      return <span class="muted">{base(node.path)}</span>;
  }
}
