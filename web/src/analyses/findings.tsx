import { useRef } from "preact/hooks";
import { ask, type Body, type Schemas } from "../api.js";
import { Choice, Filter } from "../parts/chips.js";
import { useListKeys } from "../parts/list.js";
import { codeAddress } from "../parts/place.js";
import { go, href, useScroll } from "../router.js";
import type { ViewProps } from "../views.js";
import { Pages, usePages } from "./pages.js";

type Answer = Schemas["DiagnosticsResponse"];

const kinds = {
  "": "All",
  syntax: "Syntax",
  unreachable: "Unreachable",
  dead_store: "Dead stores",
  unresolved_import: "Imports",
  unresolved_name: "Names",
  wrong_arguments: "Arguments",
  shadowed_error: "Shadowed errors",
} as const;
type Kind = keyof typeof kinds;

/** What is wrong with files by their syntax and flow alone. */
export function Findings({ place, project }: ViewProps) {
  const given = place.query.get("kind") ?? "";
  const kind: Kind = given in kinds ? (given as Kind) : "";
  const path = place.query.get("path") ?? "";
  const asked = usePages<Answer>(JSON.stringify([project, kind, path]), async (offset, signal) => {
    const body: Body<"/diagnostics"> = { limit: 200, offset, ...(kind ? { kind: [kind] } : {}), ...(path ? { path } : {}), ...(project ? { project } : {}) };
    return (await ask("/diagnostics", body, signal)) as Answer;
  });
  useScroll(place, asked.answer !== undefined);
  const list = useRef<HTMLUListElement>(null);
  const none = useRef<HTMLElement>(null);
  useListKeys(list, none);
  const change = (part: Record<string, string>) => go(href("analyses", "findings", { kind, path, ...part }));
  return (
    <>
      <div class="filters">
        <Choice label="Kind" options={kinds} value={kind} choose={(k) => change({ kind: k })} />
        <Filter label="Path" values={path ? [path] : []} change={(p) => change({ path: p.at(-1) ?? "" })} />
      </div>
      <Pages asked={asked} waiting="All files are being looked at.">
        {(pages) => {
          const found = pages.flatMap((p) => p.findings);
          return (
            <>
              <p role="status" class="amount">
                {found.length} of {pages[0]?.total} findings in {pages[0]?.files} files.
              </p>
              <ul class="findings" ref={list}>
                {found.map((f, i) => (
                  <li key={i} class={`finding ${f.severity}`}>
                    <a href={codeAddress(f.file, f.line || undefined, f.end_line)} data-item>
                      {f.file}
                      {f.line > 0 && `:${f.line}`}
                    </a>{" "}
                    <strong>{f.severity}</strong> {f.message}{" "}
                    <span class="muted">
                      {[f.kind, f.confidence, f.symbol && `in ${f.symbol}`, f.changed && "the file has changed"].filter(Boolean).join(", ")}
                    </span>
                  </li>
                ))}
              </ul>
              {(pages[0]?.not_looked_at ?? []).length > 0 && (
                <details class="lacks">
                  <summary>What this says nothing about</summary>
                  <ul>
                    {pages[0]?.not_looked_at?.map((t) => (
                      <li key={t}>{t}</li>
                    ))}
                  </ul>
                </details>
              )}
            </>
          );
        }}
      </Pages>
    </>
  );
}
