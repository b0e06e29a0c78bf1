import type { Stretch } from "../search/match.js";

/** A line of code: its number, and its text in stretches. */
export interface Line {
  number: number;
  text: readonly Stretch[];
}

/** Shows lines of code with their numbers; where lines between them are left out, a gap shows it. */
export function Snippet({ lines, label }: { lines: readonly Line[]; label: string }) {
  return (
    <pre class="snippet" tabIndex={0} role="group" aria-label={label}>
      {lines.map((line, i) => (
        <code key={line.number} class={i > 0 && line.number !== (lines[i - 1]?.number ?? 0) + 1 ? "line gap" : "line"}>
          <span class="number" aria-hidden="true">
            {line.number}
          </span>
          {line.text.map((s, j) => (s.match ? <mark key={j}>{s.text}</mark> : s.text))}
          {"\n"}
        </code>
      ))}
    </pre>
  );
}
