/** A sample of /metrics: a name, its labels and its value. */
export interface Sample {
  name: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** Reads the text format of Prometheus (exposition format 0.0.4); lines that are none are passed over. */
export function parse(text: string): Sample[] {
  const all: Sample[] = [];
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (!name || Number.isNaN(Number(value))) continue;
    const by: Record<string, string> = {};
    for (const m of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) by[m[1] ?? ""] = (m[2] ?? "").replace(/\\(.)/g, (_, c: string) => (c === "n" ? "\n" : c));
    all.push({ name, labels: by, value: Number(value) });
  }
  return all;
}

/** The sum of all samples of a name; 0 where there is none. */
export function total(samples: readonly Sample[], name: string): number {
  return samples.reduce((sum, s) => (s.name === name ? sum + s.value : sum), 0);
}

/** What is shown of the server at one moment. */
export interface Moment {
  /** Milliseconds since the epoch. */
  at: number;
  requests: number;
  /** Seconds of all requests together. */
  seconds: number;
  /** Seconds of processor time. */
  processor: number;
  /** Bytes. */
  resident: number;
  pending: number;
}

/** Reads a moment out of samples. */
export function moment(samples: readonly Sample[], at: number): Moment {
  return {
    at,
    requests: total(samples, "quarry_request_seconds_count"),
    seconds: total(samples, "quarry_request_seconds_sum"),
    processor: total(samples, "process_cpu_seconds_total"),
    resident: total(samples, "process_resident_memory_bytes"),
    pending: total(samples, "quarry_index_pending"),
  };
}

/** What happened between moments, one figure for each two that follow each other. A server that began again begins at 0. */
export function between(moments: readonly Moment[], figure: (from: Moment, to: Moment, seconds: number) => number): number[] {
  return moments.slice(1).map((to, i) => {
    const from = moments[i] as Moment;
    return to.requests < from.requests ? 0 : Math.max(0, figure(from, to, (to.at - from.at) / 1000));
  });
}

/** Tokens that an endpoint's answers had, and those of the files that they named. */
export interface Saved {
  endpoint: string;
  returned: number;
  raw: number;
}

/** Lists the endpoints that have answered something to read, the greatest saving first. */
export function savings(samples: readonly Sample[]): Saved[] {
  const by = new Map<string, Saved>();
  for (const s of samples) {
    const endpoint = s.labels.endpoint ?? "";
    const entry = by.get(endpoint) ?? { endpoint, returned: 0, raw: 0 };
    if (s.name === "quarry_tokens_returned_total") entry.returned += s.value;
    else if (s.name === "quarry_tokens_raw_total") entry.raw += s.value;
    else continue;
    by.set(endpoint, entry);
  }
  return [...by.values()].filter((s) => s.raw > 0).sort((a, b) => b.raw - b.returned - (a.raw - a.returned));
}
