import { useState } from "preact/hooks";
import { sentence } from "../api.js";
import { Notice } from "../parts/notice.js";
import { Table } from "../parts/table.js";
import { bytes, count, duration, percent, things } from "../parts/words.js";
import { href, useScroll } from "../router.js";
import { lacks } from "../search/words.js";
import { Coverage } from "../status/coverage.js";
import { Figures, Savings } from "../status/figures.js";
import { type Status, useLive } from "../status/live.js";
import { Memory } from "../status/memory.js";
import type { ViewProps } from "../views.js";

/** How the server and its index are, live. */
export default function StatusView({ place, project }: ViewProps) {
  const [all, setAll] = useState(false);
  const live = useLive(project, all);
  const { status, error } = live;
  useScroll(place, status !== undefined);
  return (
    <>
      <h1>Status</h1>
      {error !== undefined && <Notice kind="error">{sentence(error)}</Notice>}
      {!status && error === undefined && <p class="muted">The status is being asked for.</p>}
      {status && (
        <>
          <Progress status={status} />
          <Facts status={status} />
          <Figures live={live} />
          <Coverage coverage={status.coverage} all={all} showAll={() => setAll(true)} />
          <Memory status={status} />
          <Savings live={live} sessions={status.sessions} />
          {status.projects.length > 1 && <Projects projects={status.projects} shown={status.root} />}
        </>
      )}
    </>
  );
}

/** How far a build is, and what answers may lack until then. */
function Progress({ status }: { status: Status }) {
  const { index } = status;
  const notes = lacks(index);
  if (index.paused) notes.push(`Indexing pauses: ${index.paused}.`);
  if (index.last_error) notes.push(`The last build or update failed: ${index.last_error}.`);
  if (index.refine_error) notes.push(`Vectors are not refined until the next build: ${index.refine_error}.`);
  if (!status.model) notes.push(`Nothing is found by its meaning: ${status.no_model}.`);
  return (
    <section aria-label="Progress">
      {index.state === "indexing" && (
        <p>
          <progress max={1} value={index.progress} aria-label="Progress of the build" /> {percent(index.progress)}, {things(index.files, "file")} so far
        </p>
      )}
      {index.state !== "indexing" && index.vectors < 1 && (
        <p>
          <progress max={1} value={index.vectors} aria-label="Share of the code with vectors" /> {percent(index.vectors)} of the code has its vectors
        </p>
      )}
      {notes.length === 0 ? (
        <p role="status">The index is complete, and is what the files are.</p>
      ) : (
        notes.map((text) => <Notice key={text}>{text}</Notice>)
      )}
    </section>
  );
}

/** The address of the licences, which are among the files of the page as its style is. */
function licences(): string {
  const style = document.querySelector<HTMLLinkElement>("link[rel=stylesheet]");
  return style ? new URL("../licences.txt", style.href).href : "";
}

function Facts({ status }: { status: Status }) {
  const { index, watcher, model } = status;
  const changes = watcher?.mode === "fsnotify" ? "told by the system" : watcher?.mode === "poll" ? "looked for" : "told by the system, and looked for where it cannot";
  return (
    <dl class="facts">
      <dt>Root</dt>
      <dd>
        <code>{status.root}</code>
      </dd>
      <dt>Server</dt>
      <dd>
        Quarry {status.version}, up for {duration(status.uptime_s)}, process {status.pid}
      </dd>
      <dt>Index</dt>
      <dd>
        {things(index.files, "file")} ({bytes(index.source_bytes)}), {things(index.symbols, "symbol")}, {things(index.chunks, "chunk")}, generation {count(index.generation)}
      </dd>
      <dt>Last change</dt>
      <dd>{index.last_indexed_at ? new Date(index.last_indexed_at).toLocaleString() : "none yet"}</dd>
      <dt>Vectors</dt>
      <dd>
        {model ? `${model.name} on ${model.backend}` : "none"}
        {index.refined !== undefined && index.refined < 1 && `, ${percent(index.refined)} refined`}
      </dd>
      <dt>Page</dt>
      <dd>
        <a href={licences()} target="_self">
          Licences of what it contains
        </a>
      </dd>
      <dt>Changes</dt>
      <dd>
        {watcher ? changes : "not followed"}
        {watcher?.reason && `: ${watcher.reason}`}
      </dd>
    </dl>
  );
}

function Projects({ projects, shown }: { projects: Status["projects"]; shown: string }) {
  return (
    <section aria-labelledby="projects">
      <h2 id="projects">Projects</h2>
      <Table label="Projects" heads={["Name", "State", "Files", "Memory", "Root"]}>
        {projects.map((p) => (
          <tr key={p.root}>
            <td>{p.root === shown ? <strong>{p.name}</strong> : <a href={href("status", "", { project: p.name })}>{p.name}</a>}</td>
            <td>
              {p.state}
              {p.state === "indexing" && ` ${percent(p.progress)}`}
              {!p.loaded && ", on disk"}
              {p.paused && `, pauses: ${p.paused}`}
            </td>
            <td>{count(p.files)}</td>
            <td>{bytes(p.memory_bytes)}</td>
            <td>
              <code>{p.root}</code>
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
