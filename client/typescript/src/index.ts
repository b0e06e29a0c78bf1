/**
 * Asks a running Quarry server. The types are those of openapi.yaml, and there are
 * no dependencies. An answer that is no success is thrown as a QuarryError, with
 * the server's code. Node keeps connections open between requests.
 *
 * @module
 */
import { QuarryError } from "./error.js";
import { type ChangeEvent, events } from "./events.js";
import type { components } from "./schema.js";
import { type Manner, type Sending, send } from "./send.js";
import type { Answer, Body, PathWith, Query } from "./types.js";

export { QuarryError, type Code } from "./error.js";
export type { ChangeEvent } from "./events.js";
export type { components, operations, paths } from "./schema.js";
export type { Answer, Body, PathWith, Query } from "./types.js";

/** The types of openapi.yaml by name, such as `Schemas["SearchResult"]`. */
export type Schemas = components["schemas"];

/** How a client asks. */
export interface Options {
  /** Where the server is; by default http://localhost:3456. */
  baseUrl?: string;
  /** Is shown with every request. */
  token?: string;
  /** Is what requests are about that name no project, by name or root. */
  project?: string;
  /** Who asks, and in which session, of requests that do not say it. */
  agentId?: string;
  sessionId?: string;
  /** How often a request is sent again at most, where that can do no harm; by default 3. */
  retries?: number;
  /** Milliseconds that a call may take with all its repetitions; by default 35000. */
  timeout?: number;
  /** In place of the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
}

/** Of one call. */
export interface CallOptions {
  /** Ends the call. */
  signal?: AbortSignal;
  /** In place of Options.timeout. */
  timeout?: number;
}

/** Milliseconds, the most that timers take: a stream has no timeout. */
const forever = 2 ** 31 - 1;

/** Of the answers to searches, also of a server that has taken the place of another program's. */
const shape = "quarry";

type Fields = Record<string, unknown>;

/** A client of one server. */
export class Quarry {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #scope: { project: string | undefined; agent_id: string | undefined; session_id: string | undefined };
  readonly #sending: Sending;

  constructor(o: Options = {}) {
    this.#base = new URL(o.baseUrl ?? "http://localhost:3456").href.replace(/\/+$/, "");
    this.#headers = { Accept: "application/json", ...(o.token ? { Authorization: `Bearer ${o.token}` } : {}) };
    this.#scope = { project: o.project, agent_id: o.agentId, session_id: o.sessionId };
    this.#sending = { fetch: o.fetch ?? ((r) => fetch(r)), retries: o.retries ?? 3, timeout: o.timeout ?? 35_000 };
  }

  search(body: Omit<Body<"/search">, "queries" | "shape">, o?: CallOptions): Promise<Schemas["SearchResponse"]> {
    return this.post("/search", { ...body, shape }, o) as Promise<Schemas["SearchResponse"]>;
  }
  /** Answers several queries with one request. */
  searchAll(body: Omit<Body<"/search">, "query" | "q" | "shape"> & { queries: string[] }, o?: CallOptions): Promise<Schemas["BatchResponse"]> {
    return this.post("/search", { ...body, shape }, o) as Promise<Schemas["BatchResponse"]>;
  }
  related(body: Body<"/related">, o?: CallOptions) {
    return this.post("/related", body, o);
  }
  structure(body: Body<"/structure">, o?: CallOptions) {
    return this.post("/structure", body, o);
  }
  skeleton(body: Body<"/skeleton">, o?: CallOptions) {
    return this.post("/skeleton", body, o);
  }
  extract(body: Body<"/extract"> & { symbol: string }, o?: CallOptions): Promise<Schemas["ExtractedSymbol"]> {
    return this.post("/extract", body, o) as Promise<Schemas["ExtractedSymbol"]>;
  }
  /** Lists the symbols and imports of a file. */
  outline(file: string, o?: CallOptions): Promise<Schemas["ExtractedFile"]> {
    return this.post("/extract", { file }, o) as Promise<Schemas["ExtractedFile"]>;
  }
  arch(body: Body<"/arch">, o?: CallOptions) {
    return this.post("/arch", body, o);
  }

  diagnostics(body: Body<"/diagnostics">, o?: CallOptions) {
    return this.post("/diagnostics", body, o);
  }
  calls(body: Body<"/calls">, o?: CallOptions) {
    return this.post("/calls", body, o);
  }
  impact(body: Body<"/impact">, o?: CallOptions) {
    return this.post("/impact", body, o);
  }
  references(body: Body<"/references">, o?: CallOptions) {
    return this.post("/references", body, o);
  }
  context(body: Body<"/context">, o?: CallOptions) {
    return this.post("/context", body, o);
  }
  imports(body: Body<"/imports">, o?: CallOptions) {
    return this.post("/imports", body, o);
  }
  trace(body: Body<"/trace">, o?: CallOptions) {
    return this.post("/trace", body, o);
  }
  startup(body: Body<"/startup">, o?: CallOptions) {
    return this.post("/startup", body, o);
  }
  summarize(body: Body<"/summarize">, o?: CallOptions) {
    return this.post("/summarize", body, o);
  }
  grep(body: Body<"/grep">, o?: CallOptions) {
    return this.post("/grep", body, o);
  }
  cat(body: Body<"/cat">, o?: CallOptions) {
    return this.post("/cat", body, o);
  }
  find(body: Body<"/find">, o?: CallOptions) {
    return this.post("/find", body, o);
  }
  invalidate(body: Body<"/invalidate">, o?: CallOptions) {
    return this.post("/invalidate", body, o);
  }
  verify(body: Body<"/verify"> = {}, o?: CallOptions) {
    return this.post("/verify", body, { timeout: 10 * 60_000, ...o });
  }
  /** Walks the root again. It is not repeated once it was sent. */
  reindex(body: Body<"/reindex"> = {}, o?: CallOptions) {
    return this.post("/reindex", body, o);
  }
  /** Lists the tools as functions that a model may call, as OpenAI's interface takes them. */
  tools(o?: CallOptions): Promise<Schemas["ToolList"]> {
    return this.#call("GET", "/tools", {}, o);
  }
  /** Has a tool answer a call of a model. What it refuses is a QuarryError, whose message is for the model. */
  callTool(name: string, args: Record<string, unknown> = {}, o?: CallOptions): Promise<Schemas["ToolResult"]> {
    return this.#call("POST", `/tools/${encodeURIComponent(name)}${inURL(this.#scope)}`, args, o);
  }
  health(o?: CallOptions) {
    return this.get("/health", {}, o);
  }
  /** Asks whether the first build has ended. That it has not is an answer and no error. */
  ready(o?: CallOptions): Promise<Answer<"/ready", "get">> {
    return this.get("/ready", {}, o);
  }
  status(query: Query<"/status"> = {}, o?: CallOptions) {
    return this.get("/status", query, o);
  }
  handles(o?: CallOptions) {
    return this.get("/handles", {}, o);
  }
  /** Shows a chunk, from 1, of what an answer left out. */
  handle(handle: string, chunk = 1, o?: CallOptions): Promise<Schemas["HandleResponse"]> {
    return this.#call("GET", `/handles/${encodeURIComponent(handle)}`, { ...this.#scope, project: undefined, chunk }, o);
  }
  projects(o?: CallOptions) {
    return this.get("/projects", {}, o);
  }
  addProject(body: Body<"/projects">, o?: CallOptions) {
    return this.post("/projects", body, o);
  }
  async removeProject(project: string, o?: CallOptions): Promise<void> {
    await this.#call("DELETE", `/projects/${encodeURIComponent(project)}`, {}, o, { once: true });
  }

  /**
   * Yields what commits change, until the signal ends it or the loop is left. The
   * first event is the present state. With the id of an event that is known, the
   * second is what was missed since. A connection that breaks is made again.
   */
  events(lastId = "", o: Pick<CallOptions, "signal"> = {}): AsyncGenerator<ChangeEvent, void, undefined> {
    const connect = async (last: string, signal: AbortSignal): Promise<Response> => {
      const headers: Record<string, string> = { ...this.#headers, Accept: "text/event-stream" };
      if (last) headers["Last-Event-ID"] = last;
      const request = new Request(this.#base + "/events" + inURL({ project: this.#scope.project }), { headers, signal });
      const response = await send(request, {}, { ...this.#sending, timeout: forever });
      if (!response.ok) throw await QuarryError.from(response);
      return response;
    };
    return events(connect, lastId, o.signal);
  }

  /** Sends a POST to any endpoint. */
  post<P extends PathWith<"post">>(path: P, body: Body<P>, o?: CallOptions): Promise<Answer<P, "post">> {
    const scope = path === "/projects" ? {} : this.#scope;
    const fields: Fields = { ...scope, ...body };
    if ("projects" in body) fields.project = (body as Fields).project; // which of several is not to be narrowed
    return this.#call("POST", path, fields, o, { once: path === "/reindex" });
  }

  /** Sends a GET to any endpoint without a parameter in its path. */
  get<P extends PathWith<"get">>(path: P, query: Query<P>, o?: CallOptions): Promise<Answer<P, "get">> {
    return this.#call("GET", path, { ...this.#scope, ...query }, o, path === "/ready" ? { also: 503 } : {});
  }

  async #call<A>(method: string, path: string, fields: Fields, o: CallOptions = {}, manner: Manner = {}): Promise<A> {
    const init: RequestInit = { method, headers: this.#headers };
    if (o.signal) init.signal = o.signal;
    let url = this.#base + path;
    if (method === "POST") {
      init.body = JSON.stringify(fields);
      init.headers = { ...this.#headers, "Content-Type": "application/json" };
    } else {
      url += inURL(fields);
    }
    const response = await send(new Request(url, init), manner, { ...this.#sending, timeout: o.timeout ?? this.#sending.timeout });
    if (!response.ok && response.status !== manner.also) throw await QuarryError.from(response);
    return (response.status === 204 ? undefined : await response.json()) as A;
  }
}

/** Encodes fields for a URL: a list is its field several times. */
function inURL(fields: Fields): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) query.append(name, String(one));
    }
  }
  const text = query.toString();
  return text && `?${text}`;
}
