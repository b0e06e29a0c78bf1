import { useState } from "preact/hooks";
import { ask, type Schemas, sentence, useAsk } from "../api.js";
import { codeAddress } from "../parts/place.js";

/** The files and folders of a project. A folder is asked for when it is opened. */
export function Tree({ project, current }: { project: string; current: string }) {
  return <Folder key={project} project={project} path="." current={current} />;
}

function Folder({ project, path, current }: { project: string; path: string; current: string }) {
  const { answer, error } = useAsk(`${project}\n${path}`, (signal) => list(project, path, signal));
  if (error !== undefined) return <p class="muted">{sentence(error)}</p>;
  if (!answer) return <p class="muted">…</p>;
  return (
    <ul class="tree">
      {answer.entries.map((e) => (
        <li key={e.path}>
          {e.dir ? (
            <Branch project={project} path={e.path} current={current} />
          ) : (
            <a href={codeAddress(e.path)} aria-current={e.path === current ? "page" : undefined}>
              {base(e.path)}
            </a>
          )}
        </li>
      ))}
      {answer.entries.length === 0 && <li class="muted">There is nothing in it.</li>}
      {answer.omitted && <li class="muted">{sentence(answer.omitted)}</li>}
    </ul>
  );
}

function Branch({ project, path, current }: { project: string; path: string; current: string }) {
  const around = current.startsWith(path + "/");
  const [open, set] = useState<boolean | undefined>(undefined);
  const shown = open ?? around;
  return (
    <>
      <button type="button" class="folder" aria-expanded={shown} onClick={() => set(!shown)}>
        <span aria-hidden="true">{shown ? "▾" : "▸"}</span> {base(path)}
      </button>
      {shown && <Folder project={project} path={path} current={current} />}
    </>
  );
}

function base(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

interface Listing {
  entries: readonly Schemas["FoundPath"][];
  /** What is left out, in words; "" for nothing. */
  omitted: string;
}

async function list(project: string, path: string, signal: AbortSignal): Promise<Listing> {
  const body = { path, expression: ["-mindepth", "1", "-maxdepth", "1"], limit: 5000, ...(project ? { project } : {}) };
  const answer = (await ask("/find", body, signal)) as Schemas["FindResponse"];
  const entries = answer.paths.toSorted((a, b) => Number(b.dir) - Number(a.dir) || a.path.localeCompare(b.path, "en", { numeric: true }));
  return { entries, omitted: answer.meta.truncated ? `left out: ${answer.breadcrumbs.join("; ") || "more entries"}` : "" };
}
