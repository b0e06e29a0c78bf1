import type { components } from "./schema.js";

/** What an answer that is no success says in its field `error`. */
export type Code = components["schemas"]["Problem"]["error"];

/** An answer of the server that is no success. */
export class QuarryError extends Error {
  override readonly name = "QuarryError";
  /** Of HTTP. */
  readonly status: number;
  /** For programs; undefined where the answer is not Quarry's. */
  readonly code: Code | undefined;
  /** Under which the server's log has more. */
  readonly requestId: string | undefined;
  /** Seconds after which asking again is worth while; undefined where that is not said. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, problem: Partial<components["schemas"]["Problem"]>) {
    super(problem.message ?? `the server answered ${response.status} ${response.statusText}`);
    this.status = response.status;
    this.code = problem.error;
    this.requestId = problem.request_id ?? response.headers.get("X-Request-Id") ?? undefined;
    this.retryAfter = retryAfter(response);
  }

  /** Reads the error out of an answer. */
  static async from(response: Response): Promise<QuarryError> {
    type Body = Partial<components["schemas"]["Problem"]> & { code?: Code };
    const body = (await response.json().catch(() => null)) as Body | null;
    if (typeof body?.error === "string" && typeof body.code === "string") {
      // Of a tool, whose error is the sentence.
      return new QuarryError(response, { ...body, error: body.code, message: body.error });
    }
    const known = typeof body?.error === "string" && typeof body.message === "string";
    return new QuarryError(response, known ? body : {});
  }
}

/** The header of that name in seconds; undefined where it is absent or a date. */
export function retryAfter(response: Response): number | undefined {
  const value = response.headers.get("Retry-After");
  return value !== null && /^\d+$/.test(value) ? Number(value) : undefined;
}
