import { retryAfter } from "./error.js";

/** How requests are sent. */
export interface Sending {
  fetch: (request: Request) => Promise<Response>;
  /** How often a request is sent again at most. */
  retries: number;
  /** Milliseconds that a call may take with all its repetitions. */
  timeout: number;
}

const firstPause = 100; // milliseconds; each later one is twice as long
const maxPause = 5000;

/** How a request differs from others. */
export interface Manner {
  /** It may not be answered twice. */
  once?: boolean;
  /** A status that has an answer, besides those of success. */
  also?: number;
}

/**
 * Sends a request, and again where that can do no harm: when it could not be sent,
 * when the server puts it off with 429 or 503 and Retry-After, and, unless it is
 * once, when the connection broke before the answer began. It does not wait for longer
 * than the timeout leaves.
 */
export async function send(request: Request, manner: Manner, s: Sending): Promise<Response> {
  const end = Date.now() + s.timeout;
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(s.timeout)]);
  for (let attempt = 0; ; attempt++) {
    const last = attempt >= s.retries;
    let wait = pause(attempt);
    let response: Response | undefined;
    let failure: unknown;
    try {
      // A body can be read once: a copy of the request is sent.
      response = await s.fetch(new Request(last ? request : request.clone(), { signal }));
      const after = retryAfter(response);
      const off = response.status === 429 || response.status === 503;
      if (!off || !after || response.status === manner.also) return response;
      wait = Math.max(wait, after * 1000);
    } catch (error) {
      failure = error;
      if (signal.aborted || !repeatable(error, manner.once === true)) throw error;
    }
    if (last || Date.now() + wait >= end) {
      if (response) return response;
      throw failure;
    }
    await response?.body?.cancel();
    await sleep(wait, signal);
  }
}

/** What lies before the repetition that follows an attempt: half of it is left to chance. */
function pause(attempt: number): number {
  return Math.min(firstPause * 2 ** attempt, maxPause) * (0.5 + Math.random() / 2);
}

/** Tells by Node's error codes whether a request was not sent, or may be sent twice. */
function repeatable(error: unknown, once: boolean): boolean {
  const code = error instanceof Error ? (error.cause as { code?: unknown } | undefined)?.code : undefined;
  return code === "ECONNREFUSED" || (!once && (code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET"));
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const ended = () => {
      clearTimeout(timer);
      fail(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", ended);
      done();
    }, milliseconds);
    signal.addEventListener("abort", ended, { once: true });
  });
}
