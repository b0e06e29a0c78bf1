import { useEffect, useState } from "preact/hooks";
import { ask, type Schemas, sentence, useAsk } from "../api.js";
import { Choice } from "../parts/chips.js";
import { Notice } from "../parts/notice.js";
import { codeAddress } from "../parts/place.js";
import { href } from "../router.js";
import { Preview } from "./preview.js";
import { entries, type Entry, type List, lists, summary, trail, visit } from "./symbol.js";
import type { Spot } from "./tokens.js";

interface Props {
  project: string;
  /** The line in which the symbol is defined. */
  symbol: Spot;
  list: List;
  choose: (list: List) => void;
  address: (symbol: Spot) => string;
  close: () => void;
}

/** What is known of a symbol: its definition, and the lists of what has to do with it. */
export function Panel({ project, symbol, list, choose, address, close }: Props) {
  const key = `${project}\n${symbol.file}:${symbol.line}`;
  const { answer, error, waiting } = useAsk(key, (signal) => definition(symbol, project, signal));
  const found = waiting ? undefined : answer; // not what was said of the symbol before
  const { answer: words } = useAsk(`summary ${key}`, (signal) => summary(symbol, project, signal));
  const [before, setBefore] = useState(trail);
  useEffect(() => {
    if (!found) return;
    setBefore(trail().filter((m) => m.file !== symbol.file || m.line !== symbol.line));
    visit({ ...symbol, symbol: found.symbol, kind: found.kind, signature: found.signature, guessed: false });
  }, [found]);
  const others = found?.alternatives ?? [];
  return (
    <aside class="panel" aria-label="Symbol" tabIndex={-1} id="panel">
      <button type="button" class="close" onClick={close} aria-label="Close the panel">
        ×
      </button>
      {before.length > 0 && (
        <nav aria-label="Trail" class="trail">
          {before.map((m) => (
            <a key={`${m.file}:${m.line}`} href={address(m)} title={`${m.file}:${m.line}`}>
              {m.symbol}
            </a>
          ))}
        </nav>
      )}
      {error !== undefined && <Notice kind="error">{sentence(error)}</Notice>}
      {found && (
        <>
          <h2>
            <code>{found.symbol}</code> <span class="muted">{found.kind}</span>
          </h2>
          <p>
            <a href={codeAddress(found.file, symbol.line)}>
              {found.file}:{symbol.line}
            </a>
            {found.changed && <span class="muted"> changed since it was indexed</span>}
          </p>
          <p>
            <a href={href("graph", "", { target: `${symbol.file}:${symbol.line}` })}>In the graph</a>
          </p>
          {words && <p class="summary">{words}</p>}
          <Choice label="About the symbol" options={lists} value={list} choose={choose} />
          {list === "definition" ? <Definition found={found} symbol={symbol} project={project} /> : <Entries key={key + list} project={project} symbol={symbol} list={list} />}
          {others.length > 0 && (
            <p class="muted">
              The line could mean, too:{" "}
              {others.map((o) => (
                <a key={`${o.file}:${o.line}`} href={address(o)}>
                  {o.symbol}{" "}
                </a>
              ))}
            </p>
          )}
        </>
      )}
    </aside>
  );
}

async function definition(symbol: Spot, project: string, signal: AbortSignal): Promise<Schemas["ExtractedSymbol"]> {
  return (await ask("/extract", { target: `${symbol.file}:${symbol.line}`, ...(project ? { project } : {}) }, signal)) as Schemas["ExtractedSymbol"];
}

function Definition({ found, symbol, project }: { found: Schemas["ExtractedSymbol"]; symbol: Spot; project: string }) {
  return (
    <>
      {found.doc && <p class="doc">{found.doc}</p>}
      <Preview spot={symbol} project={project} from={found.line} to={Math.min(found.end_line, found.line + 30)} />
    </>
  );
}

/** A list of places, each with a preview where one stays on it. */
function Entries({ project, symbol, list }: { project: string; symbol: Spot; list: Exclude<List, "definition"> }) {
  const { answer, error, waiting } = useAsk(`${list} ${project}\n${symbol.file}:${symbol.line}`, (signal) => entries(symbol, list, project, signal));
  const [at, set] = useState(-1);
  if (error !== undefined) return <Notice kind="error">{sentence(error)}</Notice>;
  if (!answer) return waiting ? <p class="muted">It is being looked for.</p> : null;
  return (
    <>
      <p role="status" class="amount">
        {answer.entries.length === 0 ? "There is none." : answer.total > answer.entries.length ? `The first ${answer.entries.length} of ${answer.total}.` : `${answer.total} in all.`}
      </p>
      <ul class="entries">
        {answer.entries.map((e, i) => (
          <li key={i} onMouseEnter={() => set(i)} onFocusCapture={() => set(i)}>
            <EntryLink entry={e} />
            {at === i && e.file !== "" && <Preview spot={e} project={project} from={e.line - 1} to={e.line + 2} />}
          </li>
        ))}
      </ul>
      {answer.lacks.map((text) => (
        <Notice key={text}>{sentence(text)}</Notice>
      ))}
    </>
  );
}

function EntryLink({ entry }: { entry: Entry }) {
  const name = entry.symbol || "outside of all symbols";
  return (
    <>
      {entry.file === "" ? (
        <span tabIndex={0}>{name}</span>
      ) : (
        <a href={codeAddress(entry.file, entry.line)}>
          {name}{" "}
          <span class="muted">
            {entry.file}:{entry.line}
          </span>
        </a>
      )}
      <span class="muted">
        {" "}
        {[entry.file === "" ? "not in the index" : "", entry.test ? "test" : "", entry.facts].filter(Boolean).join(", ")}
      </span>
    </>
  );
}
