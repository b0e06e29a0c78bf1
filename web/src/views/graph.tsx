import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, sentence, useAsk } from "../api.js";
import { picture, summary } from "../graph/convert.js";
import { Exports } from "../graph/exports.js";
import { Legend } from "../graph/legend.js";
import { Nodes } from "../graph/nodes.js";
import { Picture, type Shown } from "../graph/picture.js";
import { about, deepest, directions, type Graph, levels, many, most, type Node, params, read, request, type State } from "../graph/state.js";
import { Choice, Filter } from "../parts/chips.js";
import { Field } from "../parts/field.js";
import { Gaps } from "../parts/gaps.js";
import { useListKeys } from "../parts/list.js";
import { Notice } from "../parts/notice.js";
import { go, href, useScroll } from "../router.js";
import { lacks } from "../search/words.js";
import type { ViewProps } from "../views.js";

/** Shows the call graph around a symbol, or between two. */
export default function GraphView({ place, project }: ViewProps) {
  const state = read(place.query);
  const field = useRef<HTMLFormElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list, field);
  const key = state.target ? JSON.stringify([project, params(state)]) : "";
  const { answer, error, waiting } = useAsk(key, (signal) => ask("/graph", request(state, project), signal));
  useScroll(place, answer !== undefined || !waiting);
  const show = (part: Partial<State>) => go(href("graph", "", params({ ...state, ...part })));
  return (
    <>
      <h1>Graph</h1>
      <form ref={field} onSubmit={(e) => e.preventDefault()}>
        <div class="fields">
          <Field id="target" label="Around" value={state.target} placeholder="a name, file:name or file:line" change={(target) => show({ target, expand: [] })} />
          <Field id="to" label="Paths to" value={state.to} placeholder="nothing, or another symbol" change={(to) => show({ to, expand: [] })} />
        </div>
        {!state.to && <Choice label="Direction" options={directions} value={state.direction} choose={(direction) => show({ direction })} />}
        <Choice label="What a box is" options={levels} value={state.collapse} choose={(collapse) => show({ collapse, expand: [] })} />
        <div class="filters">
          <Choice label="Tests" options={about} value={state.tests} choose={(tests) => show({ tests })} />
          {!state.to && <Steps depth={state.depth} change={(depth) => show({ depth })} />}
          <Filter label="Path" values={state.path ? [state.path] : []} change={(p) => show({ path: p.at(-1) ?? "" })} />
          {state.expand.length > 0 && (
            <button type="button" class="chip on" onClick={() => show({ expand: [] })}>
              {state.expand.length} expanded <span aria-hidden="true">×</span>
            </button>
          )}
        </div>
      </form>
      <div ref={list} class={waiting ? "results waiting" : "results"} aria-busy={waiting}>
        {error !== undefined && <Notice kind="error">{sentence(error)}</Notice>}
        {answer && state.target && <Shows graph={answer} state={state} project={project} show={show} />}
        {!state.target && <p class="muted">Name a symbol to see what calls it and what it calls. Results of the search and code lead here, too.</p>}
      </div>
    </>
  );
}

/** Chooses the steps from the target. */
function Steps({ depth, change }: { depth: number; change: (depth: number) => void }) {
  return (
    <span class="chips" role="group" aria-label="Steps">
      <button type="button" class="chip" aria-label="One step less" disabled={depth <= 1} onClick={() => change(depth - 1)}>
        −
      </button>
      <output class="steps">
        {depth} {depth === 1 ? "step" : "steps"}
      </output>
      <button type="button" class="chip" aria-label="One step more" disabled={depth >= deepest} onClick={() => change(depth + 1)}>
        +
      </button>
    </span>
  );
}

/** A graph: what it is and what it lacks, the picture, and the same as a list. */
function Shows({ graph, state, project, show }: { graph: Graph; state: State; project: string; show: (part: Partial<State>) => void }) {
  const drawn = useMemo(() => picture(graph), [graph]);
  const [shown, setShown] = useState<Shown>();
  const [chosen, choose] = useState("");
  useEffect(() => choose(""), [state.target, state.to]);
  const toggle = (node: Node) => {
    choose(node.id);
    if (state.expand.includes(node.id)) show({ expand: state.expand.filter((id) => id !== node.id) });
    else if (many(node) || node.side !== "target") show({ expand: [...state.expand, node.id] });
  };
  return (
    <>
      <p role="status" class="amount">
        {summary(graph)}
        {graph.backward && " The calls lead from the second to the first."}
        {graph.truncated && state.limit < most && (
          <>
            {" "}
            <button type="button" class="plain" onClick={() => show({ limit: most })}>
              Show up to {most}
            </button>
          </>
        )}
      </p>
      {lacks(graph.index, graph.meta).map((text) => (
        <Notice key={text}>{text}</Notice>
      ))}
      <Gaps incomplete={graph.incomplete} />
      {graph.to && graph.edges.length === 0 && <Notice>No way of at most 8 calls leads from one to the other, or back.</Notice>}
      <Others graph={graph} state={state} />
      <Picture
        label={`The graph around ${graph.target}: ${summary(graph)} The list below says the same.`}
        boxes={drawn.boxes}
        arrows={drawn.arrows}
        chosen={chosen}
        choose={(id) => {
          const node = graph.nodes.find((n) => n.id === id);
          if (node) toggle(node);
        }}
        shown={setShown}
      />
      <div class="under">
        <Legend paths={graph.to !== undefined} />
        <Exports state={state} project={project} shown={shown} />
      </div>
      <Nodes graph={graph} state={state} chosen={chosen} toggle={toggle} />
    </>
  );
}

/** What else the target could mean. */
function Others({ graph, state }: { graph: Graph; state: State }) {
  const others = graph.alternatives ?? [];
  if (others.length === 0) return null;
  return (
    <p class="muted">
      The name could also mean:{" "}
      {others.map((o, i) => (
        <span key={`${o.file}:${o.line}`}>
          {i > 0 && ", "}
          <a href={href("graph", "", params({ ...state, target: `${o.file}:${o.line}`, expand: [] }))}>
            {o.symbol} ({o.file}:{o.line})
          </a>
        </span>
      ))}
    </p>
  );
}
