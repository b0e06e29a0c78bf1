import { useMemo, useRef, useState } from "preact/hooks";
import { Legend } from "../graph/legend.js";
import { Picture, type Shown } from "../graph/picture.js";
import { Copy } from "../parts/copy.js";
import { Gaps } from "../parts/gaps.js";
import { useListKeys } from "../parts/list.js";
import { Notice } from "../parts/notice.js";
import { codeAddress } from "../parts/place.js";
import { fileName, save } from "../parts/save.js";
import { href } from "../router.js";
import { lacks } from "../search/words.js";
import { type Caller, idOf, type Impact, picture, reason, summary } from "./state.js";

/** What a change may break: the tests to run and how, the picture, and the same as a list. */
export function Answer({ found }: { found: Impact }) {
  const drawn = useMemo(() => picture(found), [found]);
  const [chosen, choose] = useState("");
  const [shown, setShown] = useState<Shown>();
  const list = useRef<HTMLDivElement>(null);
  const before = useRef<HTMLButtonElement>(null);
  useListKeys(list, before);
  return (
    <>
      <p role="status" class="amount">
        {summary(found)}
      </p>
      {lacks(found.index, found.meta).map((text) => (
        <Notice key={text}>{text}</Notice>
      ))}
      <Gaps incomplete={found.incomplete} />
      <Tests found={found} />
      {drawn.boxes.length > 1 && (
        <>
          <Picture
            label={`What is affected: ${summary(found)} The list below says the same.`}
            boxes={drawn.boxes}
            arrows={drawn.arrows}
            chosen={chosen}
            choose={(id) => {
              choose(id);
              document.getElementById(`affected ${id}`)?.scrollIntoView({ block: "center" });
            }}
            shown={setShown}
          />
          <div class="under">
            <Legend paths={false} />
            {shown && (
              <button type="button" class="chip" ref={before} onClick={() => void shown.png().then((png) => save(fileName("what-breaks", "png"), png))}>
                PNG
              </button>
            )}
          </div>
        </>
      )}
      <Changed found={found} />
      <div ref={list}>
        <Callers title="May break" callers={found.callers} chosen={chosen} />
        <Callers title="Perhaps, by the name" callers={found.ambiguous} chosen={chosen} />
      </div>
    </>
  );
}

/** The tests to run, by the commands that run them. */
function Tests({ found }: { found: Impact }) {
  const runs = found.runs ?? [];
  if (found.tests.length === 0) return null;
  const commands = runs.flatMap((run) => run.command ?? []);
  return (
    <section>
      <h2>Tests to run</h2>
      {commands.length > 1 && <Copy text={`${commands.join("\n")}\n`} label={`Copy all ${commands.length} commands`} />}
      <Runs runs={runs.slice(0, shownRuns)} />
      {runs.length > shownRuns && (
        <details>
          <summary>{runs.length - shownRuns} more commands</summary>
          <Runs runs={runs.slice(shownRuns)} />
        </details>
      )}
    </section>
  );
}

const shownRuns = 4;

function Runs({ runs }: { runs: NonNullable<Impact["runs"]> }) {
  return (
    <>
      {runs.map((run) => (
        <article class="result" key={run.files.join("\n")}>
          {run.command ? (
            <p class="command">
              <code>{run.command}</code> <Copy text={run.command} label="Copy" />
            </p>
          ) : (
            <p>No command is known: {run.unknown}.</p>
          )}
          <details>
            <summary>{run.files.length === 1 ? "1 file" : `${run.files.length} files`}</summary>
            <ul class="edges">
              {run.files.map((file) => (
                <li key={file}>
                  <Where file={file} />
                </li>
              ))}
            </ul>
          </details>
        </article>
      ))}
    </>
  );
}

/** What a diff changes, and of what not all dependents are known. */
function Changed({ found }: { found: Impact }) {
  const changed = found.changed ?? [];
  const unfollowed = found.unfollowed ?? [];
  return (
    <>
      {changed.length > 0 && (
        <section>
          <h2>Changed</h2>
          <ul class="nodes">
            {changed.map((c) => (
              <li key={`${idOf(c)} ${c.change}`}>
                {c.symbol || "code outside of definitions"} <span class="muted">{c.change}, </span>
                <Where file={c.file} line={c.line} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {(found.left_out ?? []).map((f) => (
        <Notice key={f.file}>
          {f.file} has no part in the call graph: {f.reason}.
        </Notice>
      ))}
      {unfollowed.length > 0 && (
        <section>
          <h2>Not all is known of</h2>
          <ul class="nodes">
            {unfollowed.map((u) => (
              <li key={`${idOf(u)} ${u.reason}`}>
                {u.symbol || u.file} <span class="muted">{reason(u.reason)} </span>
                <Where file={u.file} line={u.line} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** Callers, the nearest first. */
function Callers({ title, callers, chosen }: { title: string; callers: readonly Caller[]; chosen: string }) {
  if (callers.length === 0) return null;
  return (
    <section>
      <h2>
        {title} <span class="muted">({callers.length})</span>
      </h2>
      <ul class="nodes">
        {callers.map((c) => {
          const id = idOf(c);
          return (
            <li key={id} id={`affected ${id}`} class={id === chosen ? "chosen" : undefined}>
              <a href={href("graph", "", { target: c.symbol ? `${c.file}:${c.line}` : c.file })} data-item>
                {c.symbol || "code outside of definitions"}
              </a>{" "}
              <span class="muted">
                <Where file={c.file} line={c.line} />
                {`, ${c.depth} ${c.depth === 1 ? "step" : "steps"}`}
                {c.test && ", test"}
                {c.changed && ", changed since it was indexed"}; {c.kind === "calls" ? "calls" : "names"} {c.via.symbol || c.via.file}
                {c.call_sites.length > 0 && ` in ${c.call_sites.length === 1 ? "line" : "lines"} ${c.call_sites.slice(0, 5).join(", ")}`}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Where({ file, line }: { file: string; line?: number }) {
  const address = codeAddress(file, line);
  const text = line === undefined ? file : `${file}:${line}`;
  return address ? <a href={address}>{text}</a> : <>{text}</>;
}
