import { ask, sentence, useAsk } from "../api.js";
import { Modules } from "../map/modules.js";
import { about, around, classes, colours, params, ranks, read, request, shows, sizes, type State, type Tree } from "../map/state.js";
import { Table } from "../map/table.js";
import { Treemap } from "../map/treemap.js";
import { Choice } from "../parts/chips.js";
import { Notice } from "../parts/notice.js";
import { go, href, useScroll } from "../router.js";
import { lacks } from "../search/words.js";
import type { ViewProps } from "../views.js";

/** Shows the folders and files by size, or the modules and what they depend on. */
export default function MapView({ place, project }: ViewProps) {
  const state = read(place.query);
  const show = (part: Partial<State>) => go(href("map", "", params({ ...state, ...part })));
  return (
    <>
      <h1>Map</h1>
      <Choice label="What is shown" options={shows} value={state.show} choose={(s) => go(href("map", "", { show: s === "files" ? "" : s, path: state.path }))} />
      <Choice label="Tests" options={about} value={state.tests} choose={(tests) => show({ tests })} />
      <nav class="around" aria-label="Folders around it">
        {around(state.path).map((f, i, all) => (
          <span key={f.path}>
            {i > 0 && " / "}
            {i < all.length - 1 ? <a href={href("map", "", params({ ...state, path: f.path }))}>{f.name}</a> : <b>{f.name}</b>}
          </span>
        ))}
      </nav>
      {state.show === "files" ? <Files state={state} project={project} place={place} show={show} /> : <Modules state={state} project={project} />}
    </>
  );
}

function Files({ state, project, place, show }: { state: State; project: string; place: ViewProps["place"]; show: (part: Partial<State>) => void }) {
  const key = JSON.stringify([project, state.path, state.tests]);
  const { answer, error, waiting } = useAsk(key, (signal) => ask("/map", request(state, project), signal));
  useScroll(place, answer !== undefined || !waiting);
  return (
    <>
      <div class="filters">
        <Choice label="Colour by" options={colours} value={state.colour} choose={(colour) => show({ colour })} />
        <Choice label="Size by" options={sizes} value={state.size} choose={(size) => show({ size })} />
      </div>
      <div class={waiting ? "results waiting" : "results"} aria-busy={waiting}>
        {error !== undefined && <Notice kind="error">{sentence(error)}</Notice>}
        {answer && <Shown tree={answer} state={state} />}
      </div>
    </>
  );
}

/** The picture, what its colours mean, and the table. */
function Shown({ tree, state }: { tree: Tree; state: State }) {
  return (
    <>
      {lacks(tree.index, tree.meta).map((text) => (
        <Notice key={text}>{text}</Notice>
      ))}
      {(tree.not_looked_at ?? []).map((why) => (
        <Notice key={why}>Not looked at: {why}.</Notice>
      ))}
      <Treemap tree={tree} state={state} />
      <Key tree={tree} state={state} />
      {tree.truncated && (
        <p class="muted">
          {tree.nodes.length.toLocaleString("en")} of {tree.total.toLocaleString("en")} folders and files are drawn one by one, the largest; boxes with “more” stand for the rest. Click a folder to see more of it.
        </p>
      )}
      <Table tree={tree} state={state} />
    </>
  );
}

const heats: Record<Exclude<State["colour"], "lang">, [string, string]> = {
  fan_in: ["no file depends on it", "the most"],
  churn: ["no commit changed it", "the most"],
  coverage: ["all is indexed", "nothing is"],
};

/** What the colours mean. */
function Key({ tree, state }: { tree: Tree; state: State }) {
  if (state.colour !== "lang") {
    const [least, most] = heats[state.colour];
    return (
      <p class="keys">
        {least}{" "}
        {[0, 1, 2, 3, 4, 5].map((i) => (
          <span key={i} class={`swatch heat${i}`} aria-hidden="true" />
        ))}{" "}
        {most}{" "}
        {state.colour !== "coverage" && (
          <>
            <span class="swatch none" aria-hidden="true" /> not looked at
          </>
        )}
      </p>
    );
  }
  const languages = [...ranks(tree.languages)];
  return (
    <ul class="legend" aria-label="Languages">
      {languages
        .filter(([, rank]) => rank < classes)
        .map(([name, rank]) => (
          <li key={name}>
            <span class={`swatch lang${rank}`} aria-hidden="true" /> {name}
          </li>
        ))}
      {languages.length > classes && (
        <li>
          <span class={`swatch lang${classes}`} aria-hidden="true" /> others
        </li>
      )}
    </ul>
  );
}
