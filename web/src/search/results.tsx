import { useEffect, useMemo, useState } from "preact/hooks";
import type { Schemas } from "../api.js";
import { codeAddress } from "../parts/place.js";
import { Snippet } from "../parts/snippet.js";
import { things } from "../parts/words.js";
import type { Found } from "./ask.js";
import { chosen, marker, stretches } from "./match.js";
import { because } from "./words.js";

type Result = Schemas["SearchResult"];

/** Groups results by file, in the order of the best of each; those of a file by line. */
export function byFile(results: readonly Result[]): { file: string; project: string; results: Result[] }[] {
  const groups = new Map<string, { file: string; project: string; results: Result[] }>();
  for (const r of results) {
    const project = r.project ?? "";
    const key = JSON.stringify([project, r.file]);
    const group = groups.get(key);
    if (group) group.results.push(r);
    else groups.set(key, { file: r.file, project, results: [r] });
  }
  return [...groups.values()].map((g) => ({ ...g, results: g.results.toSorted((a, b) => a.line - b.line) }));
}

const first = 6; // files that are shown at once: more than a screen has

/** The results of a search, grouped by file. Those further down come a frame later where one types. */
export function Results({ found }: { found: Found }) {
  const groups = useMemo(() => byFile(found.answer.results), [found]);
  const [last, setLast] = useState(found); // that was shown whole
  useEffect(() => {
    found.seen = true;
    setLast(found);
  }, [found]);
  // What is come back to, or asked again, must be there whole to be scrolled in.
  const whole = last === found || found.seen || last.search.query === found.search.query;
  return (
    <>
      {(whole ? groups : groups.slice(0, first)).map((g) => (
        <section key={`${g.project}\n${g.file}`} class="file">
          <h2>
            {g.project && <span class="muted">{g.project} </span>}
            <code>{g.file}</code>
          </h2>
          {g.results.map((r) => (
            <One key={`${r.line}-${r.end_line}`} found={found} result={r} />
          ))}
        </section>
      ))}
    </>
  );
}

const shown = 6; // lines of a result, before one asks for all

function One({ found, result }: { found: Found; result: Result }) {
  const [all, setAll] = useState(false);
  const { lines, hidden } = useMemo(() => {
    const at = marker(found.search, result.why);
    const texts = result.content.split("\n");
    const indices = chosen(texts, at, all ? texts.length : shown);
    return {
      lines: indices.map((i) => ({ number: result.line + i, text: stretches(texts[i] ?? "", at) })),
      hidden: texts.length - indices.length,
    };
  }, [found, result, all]);
  const address = codeAddress(result.file, result.line, result.end_line, result.project);
  const name = result.symbol || result.signature || `line ${result.line}`;
  const facts = [result.kind, result.lang, result.role === "test" ? "test" : undefined].filter(Boolean).join(", ");
  return (
    <article class="result">
      <h3>
        {address ? (
          <a href={address} data-item>
            {name}
          </a>
        ) : (
          <span tabIndex={0} data-item>
            {name}
          </span>
        )}{" "}
        <span class="muted">
          {facts}
          {result.changed && ", changed since it was indexed"}
        </span>
      </h3>
      <Snippet lines={lines} label={`${result.file}, from line ${result.line}`} />
      <p class="why muted">
        {result.why && <>Matches by {because(result.why)}. </>}
        {hidden > 0 && (
          <button type="button" class="plain" onClick={() => setAll(true)}>
            {things(hidden, "more line")}
          </button>
        )}
      </p>
    </article>
  );
}
