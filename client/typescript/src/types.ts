import type { paths } from "./schema.js";

type Methods = "get" | "post" | "delete";

/** The paths that have a method. */
export type PathWith<M extends Methods> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths];

type Operation<P extends keyof paths, M extends Methods> = NonNullable<paths[P][M]>;

type InJSON<R> = R extends { content: { "application/json": infer J } } ? J : never;

/** The successful answer of an endpoint, in JSON. */
export type Answer<P extends keyof paths, M extends Methods> =
  Operation<P, M> extends { responses: infer R } ? InJSON<R[keyof R & (200 | 201 | 202)]> : never;

/** The body of a POST. The client reads JSON: other forms of answers are left out. */
export type Body<P extends keyof paths> =
  Operation<P, "post"> extends { requestBody?: infer B } ? Omit<InJSON<B>, "format" | "raw"> : never;

/** The fields of a GET. */
export type Query<P extends keyof paths> =
  Operation<P, "get"> extends { parameters: { query?: infer Q } } ? Omit<NonNullable<Q>, "format" | "raw"> : never;
