/**
 * Asks the server, with the types of openapi.yaml. What goes wrong with the connection is not
 * the callers' to treat: while the server is away, or wants a token that it was not shown,
 * questions wait, and the layout says so. What else is no success is thrown as a QuarryError.
 *
 * @module
 */
import { useEffect, useState } from "preact/hooks";
import { QuarryError } from "../../client/typescript/src/error.js";
import { type ChangeEvent, events } from "../../client/typescript/src/events.js";
import type { components } from "../../client/typescript/src/schema.js";
import type { Answer, Body, PathWith, Query } from "../../client/typescript/src/types.js";

export { QuarryError };
export type { Body, ChangeEvent };

/** The types of openapi.yaml by name, such as `Schemas["SearchResult"]`. */
export type Schemas = components["schemas"];

/** How the page and the server stand: the server answers, is away, wants a token, or a token that it does not know was shown. */
export type Connection = "up" | "away" | "locked" | "wrong-token";

const firstPause = 250; // milliseconds; each later one is twice as long
const maxPause = 5000;
const repetitions = 4; // of what the server puts off
const graphBuilding = "the call graph is still being built"; // wire.GraphBuilding
const graphPause = 500; // milliseconds until what it lacks is asked again
const graphQuestions = 240;

let connection: Connection = "up";
const listeners = new Set<() => void>();

function become(now: Connection): void {
  if (now === connection) return;
  connection = now;
  for (const tell of [...listeners]) tell();
}

/** How the connection stands, again whenever that changes. */
export function useConnection(): Connection {
  const [state, set] = useState(connection);
  useEffect(() => {
    const tell = () => set(connection);
    listeners.add(tell);
    tell();
    return () => void listeners.delete(tell);
  }, []);
  return state;
}

/** Waits until the server answers again. */
function answering(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, fail) => {
    const end = (settle: () => void) => {
      listeners.delete(look);
      signal?.removeEventListener("abort", ended);
      settle();
    };
    const look = () => connection === "up" && end(done);
    const ended = () => end(() => fail(signal?.reason));
    listeners.add(look);
    signal?.addEventListener("abort", ended, { once: true });
    if (signal?.aborted) ended();
    else look();
  });
}

const tokenKey = "quarry-token";
let token = read();

/** The token is kept for this tab only, and is gone when it is closed. */
function read(): string {
  try {
    return sessionStorage.getItem(tokenKey) ?? "";
  } catch {
    return ""; // the browser keeps nothing: it is asked for again after a reload
  }
}

/** Shows a token from now on; the questions that wait are asked with it. */
export function setToken(text: string): void {
  token = text.trim();
  try {
    if (token) sessionStorage.setItem(tokenKey, token);
    else sessionStorage.removeItem(tokenKey);
  } catch {
    // See read.
  }
  become("up");
}

/** Asks with POST. */
export function ask<P extends PathWith<"post">>(path: P, body: Body<P>, signal?: AbortSignal): Promise<Answer<P, "post">> {
  const init = { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  return json(path, init, signal) as Promise<Answer<P, "post">>;
}

/** Asks with GET. */
export function get<P extends PathWith<"get">>(path: P, query: Query<P>, signal?: AbortSignal): Promise<Answer<P, "get">> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  return json(params.size > 0 ? `${path}?${params}` : path, {}, signal) as Promise<Answer<P, "get">>;
}

/** Asks for an answer that is text. */
export async function text(path: string, signal?: AbortSignal): Promise<string> {
  return (await send(path, {}, "text/plain", signal)).text();
}

/** Returns the answer to a question; of one about calls, before there is a call graph, that of a later one, for a while. */
async function json(path: string, init: RequestInit, signal?: AbortSignal): Promise<unknown> {
  for (let asked = 1; ; asked++) {
    const answer = (await (await send(path, init, "application/json", signal)).json()) as { incomplete?: unknown } | null;
    if (asked > graphQuestions || !Array.isArray(answer?.incomplete) || !answer.incomplete.includes(graphBuilding)) return answer;
    await sleep(graphPause, signal);
  }
}

/** Yields what commits change in a project, the present state first; a connection that breaks is made again. */
export function changes(project: string, signal: AbortSignal): AsyncGenerator<ChangeEvent, void, undefined> {
  const path = project ? `/events?${new URLSearchParams({ project })}` : "/events";
  return events((last, s) => send(path, last ? { headers: { "Last-Event-ID": last } } : {}, "text/event-stream", s), "", signal);
}

/** Sends a question, again after the server was away, and some times where it puts the question off. */
async function send(path: string, init: RequestInit, accept: string, signal?: AbortSignal): Promise<Response> {
  for (let put = 0; ; ) {
    await answering(signal);
    const shown = token;
    const headers = { ...init.headers, Accept: accept, ...(shown ? { Authorization: `Bearer ${shown}` } : {}) };
    let response: Response;
    try {
      response = await fetch(path, { ...init, headers, ...(signal ? { signal } : {}), credentials: "omit", cache: "no-store" });
    } catch (error) {
      if (signal?.aborted) throw error;
      leave();
      continue;
    }
    if (response.status === 401) {
      if (shown === token) become(shown ? "wrong-token" : "locked");
      continue;
    }
    if (response.ok) return response;
    const problem = await QuarryError.from(response);
    if (problem.retryAfter === undefined || ++put > repetitions) throw problem;
    await sleep(problem.retryAfter * 1000, signal);
  }
}

/** Notes that the server is away, and looks for it until it is back. */
function leave(): void {
  if (connection === "away") return;
  become("away");
  void (async () => {
    for (let pause = firstPause; isAway(); pause = Math.min(2 * pause, maxPause)) {
      await sleep(pause);
      const answered = await fetch("/health", { cache: "no-store", credentials: "omit" }).then((r) => r.ok, () => false);
      if (answered) become("up");
    }
  })();
}

/** The connection may have changed while something was awaited. */
function isAway(): boolean {
  return connection === "away";
}

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const ended = () => {
      clearTimeout(timer);
      fail(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended);
      done();
    }, milliseconds);
    signal?.addEventListener("abort", ended, { once: true });
  });
}

/** Says in a sentence what went wrong with a question. */
export function sentence(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  const text = said.charAt(0).toUpperCase() + said.slice(1);
  return /[.!?]$/.test(text) ? text : text + ".";
}

/** What became of a question: nothing yet, an answer, or an error; the last answer is kept while the next is awaited. */
export interface Asked<T> {
  answer: T | undefined;
  error: unknown;
  /** An answer to what is asked now is awaited. */
  waiting: boolean;
}

/**
 * Asks a question whenever its key changes, and forgets the one before. Key "" asks nothing.
 * `question` must depend on nothing but the key.
 */
export function useAsk<T>(key: string, question: (signal: AbortSignal) => Promise<T>): Asked<T> {
  const [asked, set] = useState<Asked<T> & { key: string }>({ key: "", answer: undefined, error: undefined, waiting: false });
  useEffect(() => {
    if (key === "") return;
    const end = new AbortController();
    set((before) => ({ ...before, error: undefined, waiting: true }));
    question(end.signal).then(
      (answer) => end.signal.aborted || set({ key, answer, error: undefined, waiting: false }),
      (error: unknown) => end.signal.aborted || set({ key, answer: undefined, error, waiting: false }),
    );
    return () => end.abort();
  }, [key]);
  return key === "" ? { answer: undefined, error: undefined, waiting: false } : { ...asked, waiting: asked.waiting || asked.key !== key };
}
