import { useRef } from "preact/hooks";
import { ask, type Schemas } from "../api.js";
import { Choice, Filter } from "../parts/chips.js";
import { useListKeys } from "../parts/list.js";
import { codeAddress } from "../parts/place.js";
import { go, href, useScroll } from "../router.js";
import type { ViewProps } from "../views.js";
import { type Mark, marks, useMarks } from "./marks.js";
import { Pages, usePages } from "./pages.js";

type Answer = Schemas["DeadResponse"];
type Finding = Schemas["Dead"];

const confidences = { certain: "Certain", likely: "Likely, too", possible: "Possible, too" } as const;
const tests = { with: "Tests use code", without: "Tests do not count", only: "Only what tests use" } as const;
const shows = { open: "To look at", all: "All" } as const;

const reasons: Record<Finding["reason"], string> = {
  unused: "Nothing uses it.",
  dead_users: "Only code uses it that is dead itself.",
  only_tests: "Only tests use it.",
  only_here: "It is exported, and only its own file uses it.",
};

/** One of the keys of an object, or the first of them where it is none. */
function one<K extends string>(of: Readonly<Record<K, string>>, value: string | null, otherwise: NoInfer<K>): K {
  return value !== null && value in of ? (value as K) : otherwise;
}

/** Dead code as a list to be worked through: what could still use each, and what one has decided. */
export function Dead({ place, project }: ViewProps) {
  const confidence = one(confidences, place.query.get("confidence"), "likely");
  const test = one(tests, place.query.get("tests"), "with");
  const show = one(shows, place.query.get("show"), "open");
  const path = place.query.get("path") ?? "";
  const asked = usePages<Answer>(JSON.stringify([project, confidence, test, path]), async (offset, signal) => {
    const body = { confidence, tests: test, limit: 200, offset, ...(path ? { path } : {}), ...(project ? { project } : {}) };
    return (await ask("/dead", body, signal)) as Answer;
  });
  useScroll(place, asked.answer !== undefined);
  const { of, mark } = useMarks(`dead:${asked.answer?.[0]?.index.root ?? project}`);
  const list = useRef<HTMLUListElement>(null);
  const none = useRef<HTMLElement>(null);
  useListKeys(list, none);
  const change = (part: Record<string, string>) => go(href("analyses", "dead", { confidence, tests: test, show, path, ...part }));
  return (
    <>
      <div class="filters">
        <Choice label="How sure" options={confidences} value={confidence} choose={(c) => change({ confidence: c })} />
        <Choice label="Tests" options={tests} value={test} choose={(t) => change({ tests: t })} />
        <Choice label="Shown" options={shows} value={show} choose={(s) => change({ show: s })} />
        <Filter label="Path" values={path ? [path] : []} change={(p) => change({ path: p.at(-1) ?? "" })} />
      </div>
      <Pages asked={asked} waiting="All code is being looked at.">
        {(pages) => {
          const found = pages.flatMap((p) => p.dead);
          const shown = found.filter((f) => show === "all" || of(name(f)) === "open");
          return (
            <>
              <p role="status" class="amount">
                {pages[0]?.total === 0 ? "No dead code is found." : `${found.length} of ${pages[0]?.total} are here, ${found.length - found.filter((f) => of(name(f)) === "open").length} of them looked at.`}
              </p>
              <ul class="findings" ref={list}>
                {shown.map((f) => (
                  <One key={name(f)} finding={f} state={of(name(f))} mark={(as) => mark(name(f), as)} />
                ))}
              </ul>
              {pages[0] && pages[0].not_looked_at.length > 0 && <p class="muted">Not looked for: {pages[0].not_looked_at.join(", ")}.</p>}
            </>
          );
        }}
      </Pages>
    </>
  );
}

/** What a finding is called: lines move, names stay. */
function name(f: Finding): string {
  return `${f.file}:${f.symbol}`;
}

function One({ finding: f, state, mark }: { finding: Finding; state: Mark; mark: (as: Mark) => void }) {
  return (
    <li class={`finding ${state}`}>
      <h2>
        <a href={codeAddress(f.file, f.line, f.end_line)} data-item>
          {f.symbol}
        </a>{" "}
        <span class="muted">
          {f.kind}, {f.confidence}
          {f.test ? ", test" : ""}
          {f.exported ? ", exported" : ""}
        </span>
      </h2>
      <p>
        <span class="muted">
          {f.file}:{f.line}
        </span>{" "}
        {reasons[f.reason]} {f.root && <>It is dead together with <Place place={f.root} />. </>}
        {(f.users ?? []).length > 0 && <>Used by dead code:</>}
        {(f.users ?? []).map((u) => (
          <span key={`${u.file}:${u.line}`}>
            {" "}
            <Place place={u} />
          </span>
        ))}
      </p>
      <p>
        <strong>Why it could still be alive:</strong> {f.why || "no reason is known."}
      </p>
      <Choice label={`Mark ${f.symbol}`} options={marks} value={state} choose={mark} />
    </li>
  );
}

function Place({ place }: { place: Schemas["Place"] }) {
  return <a href={codeAddress(place.file, place.line)}>{place.symbol || `${place.file}:${place.line}`}</a>;
}
