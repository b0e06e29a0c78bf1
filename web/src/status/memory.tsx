import { bytes, count, things } from "../parts/words.js";
import type { Status } from "./live.js";

const parts = { text: "Texts", symbols: "Symbols and chunks", words: "Words", vectors: "Vectors", graph: "Call graph", overlays: "Overlays" } as const;

/** Where the memory goes: that of the process, and that of the index by its parts. */
export function Memory({ status }: { status: Status }) {
  const { memory, index } = status;
  const of = index.memory_bytes;
  const sum = Object.values(of).reduce((a, b) => a + b, 0);
  return (
    <section aria-labelledby="memory">
      <h2 id="memory">Memory</h2>
      <dl class="facts">
        <dt>Of the server</dt>
        <dd>
          {memory.resident_bytes > 0 ? bytes(memory.resident_bytes) : "not known"}
          {memory.parser_bytes > 0 && `, and ${bytes(memory.parser_bytes)} of its parsers`}
        </dd>
        <dt>Budget</dt>
        <dd>{memory.budget_bytes > 0 ? bytes(memory.budget_bytes) : "none"}</dd>
        {memory.evicted_total > 0 && (
          <>
            <dt>Put on disk</dt>
            <dd>{things(memory.evicted_total, "time")} a project, to make room</dd>
          </>
        )}
        {memory.refused_total > 0 && (
          <>
            <dt>Refused</dt>
            <dd>{things(memory.refused_total, "request")}, for want of memory</dd>
          </>
        )}
        {status.descriptors && (
          <>
            <dt>Open files</dt>
            <dd>
              {count(status.descriptors.open)}
              {status.descriptors.limit > 0 && ` of ${count(status.descriptors.limit)}`}
            </dd>
          </>
        )}
      </dl>
      <ul class="bars" aria-label="Memory of the index">
        {(Object.keys(parts) as (keyof typeof parts)[]).map((part) => (
          <li key={part}>
            <span>{parts[part]}</span>
            <meter min={0} max={Math.max(sum, 1)} value={of[part]} aria-label={parts[part]} />
            <span>{bytes(of[part])}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
