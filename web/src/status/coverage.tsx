import type { Schemas } from "../api.js";
import { Notice } from "../parts/notice.js";
import { Table } from "../parts/table.js";
import { count, things } from "../parts/words.js";

type Coverage = Schemas["Coverage"];

/** What is in the index and what is not, and why. */
export function Coverage({ coverage, all, showAll }: { coverage: Coverage; all: boolean; showAll: () => void }) {
  const languages = Object.entries(coverage.languages).sort((a, b) => b[1] - a[1]);
  const reasons = Object.entries(coverage.reasons).sort((a, b) => b[1] - a[1]);
  const unparsed = Object.entries(coverage.unparsed);
  return (
    <section aria-labelledby="coverage">
      <h2 id="coverage">What is indexed</h2>
      <p>
        {things(coverage.indexed, "file")} indexed, {count(coverage.skipped)} left out. What is ignored is decided by {coverage.source === "git" ? "git" : "the ignore files"}.
        {coverage.source_reason && ` ${coverage.source_reason}.`}
      </p>
      {coverage.pending > 0 && <Notice>{things(coverage.pending, "file")} cannot be read now; what was indexed of them stays until they can.</Notice>}
      <ul class="bars" aria-label="Files by language">
        {languages.map(([name, n]) => (
          <li key={name}>
            <span>{name}</span>
            <meter min={0} max={coverage.indexed} value={n} aria-label={name} />
            <span>{count(n)}</span>
          </li>
        ))}
      </ul>
      {(coverage.parse_errors > 0 || coverage.no_grammar > 0) && (
        <p class="muted">
          {count(coverage.no_grammar)} without a syntax tree, {count(coverage.parse_errors)} with errors in theirs.
        </p>
      )}
      {unparsed.length > 0 && (
        <>
          <h3>Indexed as text, although there is a grammar</h3>
          <Reasons counts={unparsed} />
          <Files label="Files indexed as text" files={coverage.unparsed_files} />
        </>
      )}
      <h3>Left out</h3>
      {reasons.length === 0 ? <p>No file is left out.</p> : <Reasons counts={reasons} />}
      {coverage.files.length > 0 && <Files label="Files left out" files={coverage.files} />}
      {coverage.truncated &&
        (all ? (
          <Notice>The list is not all: it has the first {count(coverage.files.length)}.</Notice>
        ) : (
          <button type="button" onClick={showAll}>
            List more of them
          </button>
        ))}
    </section>
  );
}

function Reasons({ counts }: { counts: readonly [string, number][] }) {
  return (
    <ul>
      {counts.map(([reason, n]) => (
        <li key={reason}>
          {reason.replaceAll("_", " ")}: {count(n)}
        </li>
      ))}
    </ul>
  );
}

function Files({ label, files }: { label: string; files: Coverage["files"] }) {
  return (
    <Table label={label} heads={["File", "Why"]}>
      {files.map((f) => (
        <tr key={f.path}>
          <td>
            <code>{f.path}</code>
          </td>
          <td>
            {f.reason.replaceAll("_", " ")}
            {f.detail && `: ${f.detail}`}
          </td>
        </tr>
      ))}
    </Table>
  );
}
