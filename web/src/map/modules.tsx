import { useMemo, useState } from "preact/hooks";
import { ask, type Schemas, sentence, useAsk } from "../api.js";
import { type Arrow, type Box, Picture } from "../graph/picture.js";
import { Gaps } from "../parts/gaps.js";
import { groupBy } from "../parts/group.js";
import { Notice } from "../parts/notice.js";
import { href } from "../router.js";
import { params, type State } from "./state.js";

type Module = Schemas["ArchModule"];
type Cell = Schemas["ArchCell"];
type Cycle = Schemas["ArchCycle"];

const most = 150; // modules that are drawn: more nobody reads
const asked = 1000;

/** The modules of a folder and what they depend on, in layers, cycles marked. */
export function Modules({ state, project }: { state: State; project: string }) {
  const { answer, error, waiting } = useAsk(JSON.stringify([project, state.path, state.tests]), async (signal) => {
    const about = { limit: asked, tests: state.tests, ...(state.path ? { path: state.path } : {}), ...(project ? { project } : {}) } as const;
    const [modules, matrix, cycles] = await Promise.all([
      ask("/arch", { ...about, section: "modules" }, signal),
      ask("/arch", { ...about, section: "matrix" }, signal),
      ask("/arch", { ...about, section: "cycles" }, signal),
    ]);
    return { modules: modules.modules ?? [], matrix: matrix.matrix ?? [], cycles: cycles.cycles ?? [], all: modules };
  });
  return (
    <div class={waiting ? "results waiting" : "results"} aria-busy={waiting}>
      {error !== undefined && <Notice kind="error">{sentence(error)}</Notice>}
      {answer && (
        <>
          <p role="status" class="amount">
            {answer.all.totals.modules} modules, {answer.all.totals.dependencies} dependencies, {answer.all.totals.cycles} cycles.
            {answer.modules.length > most && ` The ${most} with the most dependencies are drawn: choose a folder to see others.`}
          </p>
          <Gaps incomplete={answer.all.incomplete} />
          <Layers modules={answer.modules} matrix={answer.matrix} />
          <Cycles cycles={answer.cycles} />
          <List modules={answer.modules} state={state} />
        </>
      )}
    </div>
  );
}

/** The picture: what nothing depends on is on top, what depends on nothing at the bottom. */
function Layers({ modules, matrix }: { modules: readonly Module[]; matrix: readonly Cell[] }) {
  const [chosen, choose] = useState("");
  const drawn = useMemo(() => {
    const kept = modules.toSorted((a, b) => b.afferent + b.efferent - a.afferent - a.efferent).slice(0, most);
    const names = new Map(kept.map((m) => [m.name, m]));
    const boxes = kept.map((m): Box => ({ id: m.name, lines: [m.name, `${m.afferent} depend on it, ${m.lines} lines`], row: -m.rank, look: m.cyclic ? "alert" : "plain" }));
    const arrows = matrix
      .filter((c) => names.has(c.from) && names.has(c.to))
      .map((c): Arrow => ({ from: c.from, to: c.to, look: c.cyclic ? "alert" : c.from === chosen || c.to === chosen ? "path" : "exact" }));
    return { boxes, arrows };
  }, [modules, matrix, chosen]);
  if (drawn.boxes.length === 0) return null;
  return <Picture label="Modules in layers, each above those that it depends on. The lists below say the same." boxes={drawn.boxes} arrows={drawn.arrows} chosen={chosen} choose={choose} />;
}

function Cycles({ cycles }: { cycles: readonly Cycle[] }) {
  if (cycles.length === 0) return <p>There is no cycle.</p>;
  return (
    <section>
      <h2>Cycles</h2>
      <ul class="nodes">
        {cycles.map((c) => (
          <li key={c.modules.join("\n")}>
            {c.modules.length} modules: {c.path.join(" → ")} → {c.path[0]}
            {c.type_only && ", through types alone"}
            {c.test_only && ", through tests alone"}
            <span class="muted">. Without {c.cut.map((x) => `${x.from} → ${x.to}`).join(", ")} there is none.</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The modules by layer. */
function List({ modules, state }: { modules: readonly Module[]; state: State }) {
  const layers = [...groupBy(modules, (m) => m.rank)].sort(([a], [b]) => b - a);
  return (
    <>
      {layers.map(([rank, list]) => (
        <section key={rank}>
          <h2>
            Layer {rank} {rank === 0 && <span class="muted">(depends on nothing)</span>}
          </h2>
          <ul class="nodes">
            {list.map((m) => (
              <li key={m.name}>
                <a href={href("map", "", params({ ...state, show: "files", path: m.name }))}>{m.name}</a>{" "}
                <span class="muted">
                  {m.afferent} depend on it, it depends on {m.efferent}; {m.files} files, {m.lines} lines{m.cyclic && "; in a cycle"}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}
