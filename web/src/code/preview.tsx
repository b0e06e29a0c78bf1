import { ask, type Schemas, sentence, useAsk } from "../api.js";
import { shown, type Spot, tokens } from "./tokens.js";

/** Some lines around a place, as the file has them now. */
export function Preview({ spot, project, from, to }: { spot: Spot; project: string; from: number; to: number }) {
  const first = Math.max(from, 1);
  const { answer, error } = useAsk(`${project}\n${spot.file}\n${first}-${to}`, async (signal) => {
    const body = { path: spot.file, start: first, end: Math.max(to, first), highlight: true, ...(project ? { project } : {}) };
    return (await ask("/cat", body, signal)) as Schemas["CatResponse"];
  });
  if (error !== undefined) return <p class="muted">{sentence(error)}</p>;
  if (!answer) return null;
  const lines = answer.content.replace(/\n$/, "").split("\n");
  return (
    <pre class="snippet" tabIndex={0} role="group" aria-label={`${spot.file}, from line ${answer.start}`}>
      {lines.map((text, i) => (
        <code key={i} class={answer.start + i === spot.line ? "line here" : "line"}>
          <span class="number" aria-hidden="true">
            {answer.start + i}
          </span>
          {tokens(text, answer.highlight?.lines[i] ?? [], answer.highlight?.classes ?? []).map((t) => (
            <span key={t.start} class={`t-${t.kind}`}>
              {shown(t)}
            </span>
          ))}
          {"\n"}
        </code>
      ))}
    </pre>
  );
}
