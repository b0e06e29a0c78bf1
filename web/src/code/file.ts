/**
 * The text of a file, by blocks of lines: a file of any length is shown as fast as a short one.
 *
 * @module
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, changes, QuarryError, type Schemas } from "../api.js";

/** A line as the server gives it. */
export interface Line {
  text: string;
  stretches: readonly number[];
  /** The server has left out the end of it: the line is too long to be shown. */
  cut: boolean;
}

const block = 200; // lines that are asked for at once

/** What is known of a file so far. */
export class Source {
  readonly lines = new Map<number, Line>();
  total = 0;
  changed = false;
  /** Why some words have no class. */
  incomplete: readonly string[] = [];
  classes: readonly string[] = [];
  index: Schemas["Index"] | undefined;
  private readonly asked = new Set<number>();

  constructor(
    readonly path: string,
    readonly project: string,
  ) {}

  /** Asks for the blocks with some lines that were not asked for before. It resolves to false where there are none. */
  async load(from: number, to: number, signal: AbortSignal): Promise<boolean> {
    const wanted: number[] = [];
    for (let b = Math.floor((Math.max(from, 1) - 1) / block); b * block < to; b++) {
      if (!this.asked.has(b)) wanted.push(b);
    }
    const first = wanted[0];
    const last = wanted.at(-1);
    if (first === undefined || last === undefined) return false;
    for (const b of wanted) this.asked.add(b);
    try {
      await this.read(first * block + 1, (last + 1) * block, signal);
    } catch (error) {
      for (const b of wanted) this.asked.delete(b);
      throw error;
    }
    return true;
  }

  /** Asks for lines until all are there: the server gives as many as its budget allows. */
  private async read(from: number, to: number, signal: AbortSignal): Promise<void> {
    while (from <= to) {
      const body = { path: this.path, start: from, end: to, highlight: true, ...(this.project ? { project: this.project } : {}) };
      const answer = (await ask("/cat", body, signal)) as Schemas["CatResponse"];
      this.note(answer);
      const texts = answer.content.split("\n");
      if (texts.at(-1) === "") texts.pop();
      const whole = answer.content.endsWith("\n");
      texts.forEach((text, i) => {
        const end = from + i;
        const cut = i === texts.length - 1 && !whole && answer.meta.truncated === true;
        this.lines.set(end, { text: text.replace(/\r$/, ""), stretches: answer.highlight?.lines[i] ?? [], cut });
      });
      if (!answer.meta.truncated || texts.length === 0) return;
      from += texts.length;
    }
  }

  private note(answer: Schemas["CatResponse"]): void {
    this.total = answer.meta.lines ?? 0;
    this.changed = answer.changed ?? false;
    this.classes = answer.highlight?.classes ?? this.classes;
    this.incomplete = answer.highlight?.incomplete ?? [];
    this.index = answer.index;
  }
}

/** A file that is being shown. */
export interface Shown {
  source: Source | undefined;
  error: unknown;
  /** Another number whenever more of the file is known. */
  version: number;
  /** Has lines be loaded. */
  need: (from: number, to: number) => void;
}

/** Loads a file as its lines are needed, and again when the index has a change of it. `first` is a line to begin with. */
export function useFile(path: string, project: string, first: number): Shown {
  const [state, set] = useState<{ source: Source | undefined; error: unknown; version: number }>({ source: undefined, error: undefined, version: 0 });
  const current = useRef<{ source: Source; end: AbortController } | undefined>(undefined);
  const topLine = useRef(first);

  const fetch = (from: number, to: number) => {
    const now = current.current;
    if (!now) return;
    now.source.load(from, to, now.end.signal).then(
      (more) => more && current.current === now && set((s) => ({ source: now.source, error: undefined, version: s.version + 1 })),
      (error: unknown) => {
        if (now.end.signal.aborted) return;
        const beyond = error instanceof QuarryError && error.status === 404 && now.source.total === 0 && from > 1;
        if (beyond) fetch(1, block); // the file is shorter than somebody thinks, or is not there
        else set((s) => ({ source: undefined, error, version: s.version + 1 }));
      },
    );
  };

  useEffect(() => {
    current.current?.end.abort();
    current.current = undefined;
    if (path === "") {
      set((s) => ({ source: undefined, error: undefined, version: s.version + 1 }));
      return;
    }
    set((s) => (s.source?.path === path && s.source.project === project ? s : { source: undefined, error: undefined, version: s.version + 1 }));
    const open = (line: number) => {
      current.current?.end.abort();
      current.current = { source: new Source(path, project), end: new AbortController() };
      fetch(Math.max(line - block / 2, 1), line + block / 2);
    };
    open(first);
    const watching = new AbortController();
    void watch(project, watching.signal, (changed) => {
      if (changed === undefined || changed.includes(path)) open(topLine.current);
    });
    return () => {
      watching.abort();
      current.current?.end.abort();
    };
  }, [path, project]);

  const need = (from: number, to: number) => {
    topLine.current = from;
    fetch(from, to);
  };
  return { ...state, need };
}

/** Tells of each commit which files it has changed; undefined for all. */
async function watch(project: string, signal: AbortSignal, tell: (changed: readonly string[] | undefined) => void): Promise<void> {
  try {
    let first = true; // the first event is the present state
    for await (const event of changes(project, signal)) {
      if (!first && (event.all || event.changed.length > 0)) tell(event.all ? undefined : event.changed);
      first = false;
    }
  } catch {
    // The view is gone, or the server has no events: what is shown stays.
  }
}
