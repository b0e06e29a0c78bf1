import type { components } from "./schema.js";

/** What commits have changed, and its place in the stream. */
export type ChangeEvent = components["schemas"]["Event"] & { id: string };

/** Milliseconds of silence that end a connection: the server says something every 15 s. */
const maxSilence = 45_000;

/**
 * Yields what commits change. The first event is the present state. `connect` opens
 * the stream after the event of an id, with repetitions of its own; what it throws
 * ends the stream, as `signal` does. A connection that breaks is made again.
 */
export async function* events(
  connect: (lastId: string, signal: AbortSignal) => Promise<Response>,
  lastId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChangeEvent, void, undefined> {
  let greeted = false;
  for (;;) {
    const connection = new AbortController();
    const silence = () => setTimeout(() => connection.abort(), maxSilence);
    let timer = silence();
    try {
      const response = await connect(lastId, signal ? AbortSignal.any([signal, connection.signal]) : connection.signal);
      for await (const { kind, event } of read(response, () => {
        clearTimeout(timer);
        timer = silence();
      })) {
        if (kind === "hello" && greeted) continue; // the state again, after a connection broke
        if (kind !== "hello" || !lastId) lastId = event.id;
        greeted = true;
        yield event;
      }
    } finally {
      clearTimeout(timer);
      connection.abort();
    }
    signal?.throwIfAborted();
    await new Promise((done) => setTimeout(done, 100));
  }
}

/** Reads the events of a connection, until it ends or breaks. */
async function* read(response: Response, heard: () => void): AsyncGenerator<{ kind: string; event: ChangeEvent }, void, undefined> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const part = await reader.read().catch(() => ({ done: true as const, value: undefined }));
    if (part.done) return;
    heard();
    const blocks = (text + part.value).split(/\r?\n\r?\n/);
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields: Record<string, string> = {};
      for (const line of block.split(/\r?\n/)) {
        const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (name) fields[name] = value ?? ""; // the server's events have one line of data
      }
      if (!fields.data) continue;
      const event = JSON.parse(fields.data) as components["schemas"]["Event"];
      yield { kind: fields.event ?? "", event: { ...event, id: fields.id ?? "" } };
    }
  }
}
