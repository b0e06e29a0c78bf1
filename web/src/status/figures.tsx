import { Plot } from "../parts/plot.js";
import { Table } from "../parts/table.js";
import { bytes, count } from "../parts/words.js";
import type { Live, Status } from "./live.js";
import { between, savings } from "./metrics.js";

/** The server's metrics since the view was opened, as plots. */
export function Figures({ live }: { live: Live }) {
  const { moments } = live;
  return (
    <section aria-labelledby="figures">
      <h2 id="figures">While you look</h2>
      <div class="plots">
        <Plot label="Requests a second" values={between(moments, (a, b, s) => (b.requests - a.requests) / s)} say={(n) => n.toFixed(1)} />
        <Plot
          label="Time of a request"
          values={between(moments, (a, b) => (b.requests > a.requests ? ((b.seconds - a.seconds) / (b.requests - a.requests)) * 1000 : 0))}
          say={(n) => `${n.toFixed(1)} ms`}
        />
        <Plot label="Processor" values={between(moments, (a, b, s) => ((b.processor - a.processor) / s) * 100)} say={(n) => `${n.toFixed(0)} %`} />
        <Plot label="Memory" values={moments.map((m) => m.resident)} say={bytes} />
      </div>
    </section>
  );
}

/** Tokens that answers saved their readers, against reading the files whole. */
export function Savings({ live, sessions }: { live: Live; sessions: Status["sessions"] }) {
  const all = savings(live.samples);
  return (
    <section aria-labelledby="savings">
      <h2 id="savings">Tokens saved</h2>
      {all.length === 0 ? (
        <p>Nothing has been answered yet since the server began.</p>
      ) : (
        <Table label="Tokens by endpoint" caption="Since the server began: what answers had, against the whole files that they named." heads={["Endpoint", "Answered", "Whole files", "Saved"]}>
          {all.map((s) => (
            <tr key={s.endpoint}>
              <td>
                <code>{s.endpoint}</code>
              </td>
              <td>{count(s.returned)}</td>
              <td>{count(s.raw)}</td>
              <td>{share(s.returned, s.raw)}</td>
            </tr>
          ))}
        </Table>
      )}
      {sessions.length > 0 && <Sessions sessions={sessions} />}
    </section>
  );
}

function Sessions({ sessions }: { sessions: Status["sessions"] }) {
  return (
    <Table label="Tokens by session" caption="Sessions that are remembered, by the beginning of their names." heads={["Session", "Answered", "Whole files", "Saved", "Last used"]}>
      {sessions.map((s, i) => (
        <tr key={i}>
          <td>
            <code>{s.id}</code>
          </td>
          <td>{count(s.tokens_sent)}</td>
          <td>{count(s.tokens_raw)}</td>
          <td>{share(s.tokens_sent, s.tokens_raw)}</td>
          <td>{new Date(s.last_used).toLocaleTimeString()}</td>
        </tr>
      ))}
    </Table>
  );
}

function share(returned: number, raw: number): string {
  return raw > 0 ? `${Math.round((1 - returned / raw) * 100)} %` : "-";
}
