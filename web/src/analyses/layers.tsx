import { ask, type Body, type Schemas, sentence, useAsk } from "../api.js";
import { Choice } from "../parts/chips.js";
import { Notice } from "../parts/notice.js";
import { codeAddress } from "../parts/place.js";
import { go, href, useScroll } from "../router.js";
import type { ViewProps } from "../views.js";

type Answer = Schemas["ArchResponse"];

const levels = { folder: "Folders", package: "Packages", file: "Files" } as const;
type Level = keyof typeof levels;

/** The layers of a program, the cycles in it with where to cut them, and what breaks its rules. */
export function Layers({ place, project }: ViewProps) {
  const given = place.query.get("level") ?? "";
  const level: Level = given in levels ? (given as Level) : "folder";
  const { answer, error } = useAsk(JSON.stringify([project, level]), (signal) => all(level, project, signal));
  useScroll(place, answer !== undefined);
  return (
    <>
      <Choice label="A module is" options={levels} value={level} choose={(l) => go(href("analyses", "layers", { level: l }))} />
      {error !== undefined && <Notice kind="error">{sentence(error)}</Notice>}
      {!answer && error === undefined && <p class="muted">The dependencies are being gathered.</p>}
      {answer && <Sections {...answer} />}
    </>
  );
}

/** The layers, the cycles and the violations, as three answers: each is cut for itself. */
async function all(level: Level, project: string, signal: AbortSignal): Promise<{ layers: Answer; cycles: Answer; violations: Answer }> {
  const one = async (section: "layers" | "cycles" | "violations"): Promise<Answer> => {
    const body: Body<"/arch"> = { level, section, limit: 200, ...(project ? { project } : {}) };
    return (await ask("/arch", body, signal)) as Answer;
  };
  const [layers, cycles, violations] = await Promise.all([one("layers"), one("cycles"), one("violations")]);
  return { layers, cycles, violations };
}

function counted(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

function Sections({ layers, cycles, violations }: { layers: Answer; cycles: Answer; violations: Answer }) {
  return (
    <>
      <p role="status" class="amount">
        {counted(layers.totals.modules, "module")}, {counted(layers.totals.dependencies, "dependency", "dependencies")}, {counted(layers.totals.layers, "layer")},{" "}
        {counted(layers.totals.cycles, "cycle")}.
      </p>
      <h2>Layers, those that depend on the most first</h2>
      <ul class="layers findings">
        {(layers.layers ?? []).map((l) => (
          <li key={l.rank}>
            <span class="muted">
              Layer {l.rank}, {l.count} {l.count === 1 ? "module" : "modules"}:
            </span>{" "}
            {l.modules.map((m) => (
              <code key={m}>{m} </code>
            ))}
            {l.omitted !== undefined && l.omitted > 0 && <span class="muted">and {l.omitted} more</span>}
          </li>
        ))}
      </ul>
      <h2>Cycles</h2>
      {(cycles.cycles ?? []).length === 0 && <p>There is none.</p>}
      <ul class="findings">
        {(cycles.cycles ?? []).map((c) => (
          <li key={c.modules.join()} class="finding">
            <p>
              {c.modules.length} modules depend on each other
              {c.test_only ? ", by test code alone" : c.type_only ? ", by types alone" : ""}: {c.path.map((m) => <code key={m}>{m} → </code>)}
              <code>{c.path[0]}</code>
            </p>
            <p>Without {c.cut.length === 1 ? "this dependency" : "these dependencies"} there is none{c.exact ? "" : ", and a smaller cut may do"}:</p>
            <ul>
              {c.cut.map((e) => (
                <li key={`${e.from} ${e.to}`}>
                  <a href={codeAddress(e.file, e.line)}>
                    {e.from} → {e.to}
                  </a>{" "}
                  <span class="muted">weight {e.weight}</span>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
      <h2>Rules</h2>
      {violations.totals.violations === undefined && <p class="muted">There are no rules: docs/architecture-analysis.md says how to write some.</p>}
      {violations.totals.violations === 0 && <p>Every rule is kept.</p>}
      <ul class="findings">
        {(violations.violations ?? []).map((v, i) => (
          <li key={i} class="finding">
            <a href={codeAddress(v.file, v.line)}>
              {v.file}:{v.line}
            </a>{" "}
            {v.text}
          </li>
        ))}
      </ul>
      {[...new Set([...(layers.incomplete ?? []), ...(cycles.incomplete ?? [])])].map((t) => (
        <Notice key={t}>{sentence(t)}</Notice>
      ))}
      {(layers.not_looked_at ?? []).map((t) => (
        <p key={t} class="muted">
          {sentence(t)}
        </p>
      ))}
    </>
  );
}
