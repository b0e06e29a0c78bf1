import { ask, type Asked, type Schemas, sentence, useAsk } from "../api.js";
import { Choice } from "../parts/chips.js";
import { Notice } from "../parts/notice.js";
import { codeAddress } from "../parts/place.js";

export const directions = { backward: "What it depends on", forward: "What depends on it" } as const;
export type Direction = keyof typeof directions;

/** A slice that is lit up: of which line, in which direction, and over how many calls. */
export interface Slicing {
  line: number;
  direction: Direction;
  depth: number;
}

/** Reads a slice from the parameters of an address. */
export function readSlicing(query: URLSearchParams): Slicing | undefined {
  const direction = query.get("slice");
  const line = Number(query.get("of"));
  if ((direction !== "backward" && direction !== "forward") || !Number.isInteger(line) || line < 1) return undefined;
  return { line, direction, depth: Math.min(Math.max(Math.trunc(Number(query.get("calls"))) || 0, 0), 20) };
}

type Answer = Schemas["SliceResponse"];

/** Asks for the slice, if there is one to be shown. */
export function useSlice(path: string, project: string, s: Slicing | undefined): Asked<Answer> {
  return useAsk(s && path ? JSON.stringify([project, path, s]) : "", async (signal) => {
    if (!s) throw new Error("there is no slice");
    const body = { target: `${path}:${s.line}`, direction: s.direction, depth: s.depth, ...(project ? { project } : {}) };
    return (await ask("/slice", body, signal)) as Answer;
  });
}

/** The lines of a file that are in a slice, with their reasons. */
export function lit(answer: Answer | undefined, path: string): ReadonlyMap<number, string> | undefined {
  if (!answer) return undefined;
  const lines = new Map<number, string>();
  for (const l of answer.lines) {
    if (l.file !== path) continue;
    const reason = why(l, answer.direction);
    for (let n = l.line; n <= l.end_line; n++) lines.set(n, lines.has(n) ? `${lines.get(n)}; ${reason}` : reason);
  }
  return lines;
}

/** Says why a line is in a slice; in one forward, the other line comes first. */
export function why(l: Schemas["SliceLine"], direction: string): string {
  const v = l.variable ? ` ${l.variable}` : "";
  const of = l.of_file ? `${l.of_file}:${l.of}` : `line ${l.of}`;
  const forward = direction === "forward";
  switch (l.reason) {
    case "asked":
      return "the line that was asked about";
    case "data":
      return forward ? `it may read${v || " a value"}, which ${of} writes` : `it writes${v || " a value"}, which ${of} may read`;
    case "alias":
      return `it changes the object of${v || " a variable"} by another name, for ${of}`;
    case "control":
      return forward ? `${of} decides whether it runs` : `it decides whether ${of} runs`;
    case "jump":
      return forward ? `${of} leaves it out at times` : `it leaves out ${of} at times`;
    case "part":
      return `it is of the statement of ${of}`;
    case "argument":
      return `an argument of a call, for ${of}`;
    case "result":
      return `the result of a call, for ${of}`;
    case "declaration":
      return `the declaration of${v || " a variable"}, for ${of}`;
    case "syntax":
      return "the others do not parse without it";
    default:
      return `${l.reason}, for ${of}`;
  }
}

const depths = { "0": "In the function", "3": "Over 3 calls" } as const;

interface Props {
  path: string;
  slicing: Slicing;
  slice: Asked<Answer>;
  change: (s: Slicing | undefined) => void;
}

/** The lines of a slice in words, those of other files, too. */
export function SlicePanel({ path, slicing, slice, change }: Props) {
  const { answer, error, waiting } = slice;
  return (
    <aside class="panel" aria-label="Slice" tabIndex={-1} id="panel">
      <button type="button" class="close" onClick={() => change(undefined)} aria-label="Close the slice">
        ×
      </button>
      <h2>Slice of line {slicing.line}</h2>
      <Choice label="Direction" options={directions} value={slicing.direction} choose={(direction) => change({ ...slicing, direction })} />
      <Choice label="Calls" options={depths} value={slicing.depth > 0 ? "3" : "0"} choose={(d) => change({ ...slicing, depth: Number(d) })} />
      {error !== undefined && <Notice kind="error">{sentence(error)}</Notice>}
      {!answer && waiting && <p class="muted">It is being computed.</p>}
      {answer && (
        <>
          <p role="status" class="amount">
            {answer.truncated ? `The first ${answer.lines.length} of ${answer.total} lines` : `${answer.total} lines`} in {answer.functions} {answer.functions === 1 ? "function" : "functions"}.
          </p>
          <ol class="entries">
            {answer.lines.map((l, i) => (
              <li key={i}>
                <a href={codeAddress(l.file, l.line, l.end_line)}>
                  {l.file === path ? `Line ${l.line}` : `${l.file}:${l.line}`}
                </a>{" "}
                <code>{l.text}</code> <span class="muted">{why(l, answer.direction)}</span>
              </li>
            ))}
          </ol>
          {(answer.incomplete ?? []).map((text) => (
            <Notice key={text}>{sentence(text)}</Notice>
          ))}
        </>
      )}
    </aside>
  );
}
