import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { ask, type Asked, type Body, type Schemas } from "../api.js";
import { allProjects } from "../router.js";
import { params, type Search } from "./state.js";

export type Answer = Schemas["SearchResponse"];

/** An answer with what it is the answer to: while one types, the two differ from what is asked. */
export interface Found {
  search: Search;
  answer: Answer;
  /** All of it has been shown. */
  seen: boolean;
}

const kept = 30; // answers, so that going back shows one at once
const patience = 60; // milliseconds for which a new key waits for the answer to the one before
const memory = new Map<string, Found>();

function keyOf(search: Search, project: string): string {
  return JSON.stringify([project, params(search)]);
}

/**
 * Asks as one types. The first key is asked at once. While its answer is awaited the next
 * waits a little, since most answers come sooner than that; then the older question is given up.
 */
export function useSearch(search: Search, project: string): Asked<Found> {
  const key = search.query.trim() === "" ? "" : keyOf(search, project);
  const [state, set] = useState<Asked<Found>>({ answer: memory.get(key), error: undefined, waiting: key !== "" });
  const running = useRef<AbortController | undefined>(undefined);
  const last = useRef("");
  // Before the frame with the letter is painted, not after it: the answer comes a frame sooner.
  useLayoutEffect(() => {
    last.current = key;
    if (key === "") {
      running.current?.abort();
      set({ answer: undefined, error: undefined, waiting: false });
      return;
    }
    const found = memory.get(key);
    set((before) => ({ answer: found ?? before.answer, error: undefined, waiting: true }));
    const begin = () => {
      if (last.current !== key) return;
      running.current?.abort();
      const end = new AbortController();
      running.current = end;
      const settle = (next: Asked<Found>) => {
        if (running.current === end) running.current = undefined;
        if (!end.signal.aborted && last.current === key) set(next);
      };
      ask("/search", request(search, project), end.signal).then(
        (answer) => {
          const now = { search, answer: answer as Answer, seen: false };
          remember(key, now);
          settle({ answer: now, error: undefined, waiting: false });
        },
        (error: unknown) => settle({ answer: undefined, error, waiting: false }),
      );
    };
    if (!running.current) {
      begin();
      return;
    }
    const timer = setTimeout(begin, patience);
    return () => clearTimeout(timer);
  }, [key]);
  useEffect(() => () => running.current?.abort(), []);
  return state;
}

function remember(key: string, found: Found): void {
  memory.delete(key);
  memory.set(key, found);
  for (const oldest of memory.keys()) {
    if (memory.size <= kept) break;
    memory.delete(oldest);
  }
}

/** The kinds are what somebody wrote: the server says it where it does not know one. */
function request(s: Search, project: string): Body<"/search"> {
  return {
    query: s.query,
    limit: s.limit,
    explain: "short",
    shape: "quarry",
    ...(s.mode === "hybrid" ? {} : { mode: s.mode }),
    ...(s.tests === "with" ? {} : { tests: s.tests }),
    ...(s.path ? { path: s.path } : {}),
    ...(s.lang.length > 0 ? { lang: s.lang } : {}),
    ...(s.kind.length > 0 ? { kind: s.kind as Schemas["Kind"][] } : {}),
    ...(project === allProjects ? { projects: allProjects } : project ? { project } : {}),
  };
}
