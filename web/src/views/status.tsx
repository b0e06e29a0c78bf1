import { get, sentence, useAsk } from "../api.js";
import { Notice } from "../parts/notice.js";
import { useScroll } from "../router.js";
import { lacks } from "../search/words.js";
import type { ViewProps } from "../views.js";

/** How the server and its index are. */
export default function StatusView({ place, project }: ViewProps) {
  const { answer, error } = useAsk(`status ${project}`, (signal) => get("/status", { project }, signal));
  useScroll(place, answer !== undefined);
  if (error !== undefined) return <Notice kind="error">{sentence(error)}</Notice>;
  if (!answer) return <p class="muted">The status is being asked for.</p>;
  const { index, coverage } = answer;
  return (
    <>
      <h1>Status</h1>
      {lacks(index).map((text) => (
        <Notice key={text}>{text}</Notice>
      ))}
      <dl class="facts">
        <dt>Root</dt>
        <dd>
          <code>{answer.root}</code>
        </dd>
        <dt>Version</dt>
        <dd>{answer.version}</dd>
        <dt>Files</dt>
        <dd>
          {coverage.indexed} indexed, {coverage.skipped} left out
        </dd>
      </dl>
    </>
  );
}
