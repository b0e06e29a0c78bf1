import { useEffect } from "preact/hooks";
import { ask, type Body, QuarryError, type Schemas, sentence, useAsk } from "../api.js";
import { parseRange } from "../code/tokens.js";
import { Notice } from "../parts/notice.js";
import { Picture } from "../parts/picture.js";
import { codeAddress } from "../parts/place.js";
import { href, useScroll } from "../router.js";
import type { ViewProps } from "../views.js";

type Answer = Schemas["ControlResponse"];

/** The control flow of the function around a line, drawn and in words. Its blocks lead to the code. */
export default function ControlView({ place, project }: ViewProps) {
  const path = place.rest;
  const line = parseRange(place.hash)?.from ?? 1;
  const { answer, error } = useAsk(path === "" ? "" : JSON.stringify([project, path, line]), (signal) => control(path, line, project, signal));
  useScroll(place, answer !== undefined || error !== undefined);
  useEffect(() => {
    if (answer) document.title = `${answer.function.name || path} - Quarry`;
  }, [answer]);
  if (path === "") return <Notice>A place in the code is needed: open a file, choose a line and press c. <a href={href("code")}>Open a file</a></Notice>;
  if (error !== undefined) {
    return (
      <>
        <h1>Control flow</h1>
        <Notice kind="error">{sentence(error)}</Notice>
        <p>
          <a href={codeAddress(path, line)}>To the code</a>
        </p>
      </>
    );
  }
  if (!answer) return <p class="muted">It is being asked for.</p>;
  const { function: f } = answer;
  const at = (n: number, end?: number) => codeAddress(f.file, n, end) ?? "";
  return (
    <>
      <h1>
        Control flow of <code>{f.name || f.file}</code>
      </h1>
      <p>
        <a href={at(f.line, f.end_line)}>
          {f.file}:{f.line}
        </a>
        . Complexity {answer.complexity}, {answer.loops} {answer.loops === 1 ? "loop" : "loops"}, {answer.total} blocks.
      </p>
      {f.changed && <Notice>The file has changed since it was indexed.</Notice>}
      {answer.unreachable.length > 0 && (
        <Notice>
          Nothing leads to{" "}
          {answer.unreachable.map((n) => (
            <a key={n} href={at(n)}>
              line {n}{" "}
            </a>
          ))}
        </Notice>
      )}
      {(answer.incomplete ?? []).map((t) => (
        <Notice key={t}>{sentence(t)}</Notice>
      ))}
      {answer.drawing ? <Picture svg={answer.drawing} address={(lines) => lineOf(lines, at)} /> : <Notice>It has more than 300 blocks, which are not drawn.</Notice>}
      <h2>Blocks</h2>
      <ul class="blocks">
        {answer.blocks.map((b) => (
          <li key={b.id}>
            <span class="muted">{b.id}</span> <strong>{b.type}</strong> {b.line > 0 && <a href={at(b.line, b.end_line)}>{b.end_line > b.line ? `lines ${b.line} to ${b.end_line}` : `line ${b.line}`}</a>} <code>{b.text[0] ?? ""}</code>{" "}
            <span class="muted">{answer.edges.filter((e) => e.from === b.id).map(edge).join(", ")}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A function of more blocks than can be drawn is answered without a drawing. */
async function control(path: string, line: number, project: string, signal: AbortSignal): Promise<Answer> {
  const body: Body<"/cfg"> = { target: `${path}:${line}`, ...(project ? { project } : {}) };
  try {
    return (await ask("/cfg", { ...body, draw: "svg" }, signal)) as Answer;
  } catch (error) {
    if (!(error instanceof QuarryError) || error.status !== 400) throw error;
    return (await ask("/cfg", body, signal)) as Answer;
  }
}

/** The boxes of the drawing begin with the number of their line. */
function lineOf(lines: readonly string[], at: (n: number) => string): string | undefined {
  const n = Number(/^(\d+)\s{2}/.exec(lines[0] ?? "")?.[1]);
  return n > 0 ? at(n) : undefined;
}

function edge(e: Schemas["ControlEdge"]): string {
  return `${e.kind}${e.condition ? ` (${e.condition})` : ""} to ${e.to}${e.maybe ? ", perhaps" : ""}`;
}
