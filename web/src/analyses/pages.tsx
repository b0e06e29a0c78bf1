import { useState } from "preact/hooks";
import { type Asked, sentence, useAsk } from "../api.js";
import { Notice } from "../parts/notice.js";

/** An answer that comes in pages. */
export interface Paged {
  total: number;
  next_offset?: number;
  incomplete?: string[];
}

/** Asks for a list, page after page, as far as one goes. `key` says what the list is of. */
export function usePages<T extends Paged>(key: string, question: (offset: number, signal: AbortSignal) => Promise<T>): Asked<T[]> & { more: (() => void) | undefined } {
  const [state, set] = useState<{ key: string; pages: T[]; offset: number }>({ key, pages: [], offset: 0 });
  const now = state.key === key ? state : { key, pages: [], offset: 0 };
  const { answer, error, waiting } = useAsk(`${now.offset}\n${key}`, (signal) => question(now.offset, signal));
  const pages = answer && !waiting ? [...now.pages, answer] : now.pages;
  const next = answer && !waiting ? answer.next_offset : undefined;
  return { answer: pages.length > 0 ? pages : undefined, error, waiting, more: next === undefined ? undefined : () => set({ key, pages, offset: next }) };
}

/** What stands around a list of pages: errors, what it lacks, and a button for more. */
export function Pages<T extends Paged>({ asked, waiting, children }: { asked: ReturnType<typeof usePages<T>>; waiting: string; children: (pages: T[]) => preact.ComponentChild }) {
  const first = asked.answer?.[0];
  return (
    <>
      {asked.error !== undefined && <Notice kind="error">{sentence(asked.error)}</Notice>}
      {!first && asked.waiting && <p class="muted">{waiting}</p>}
      {asked.answer && children(asked.answer)}
      {asked.more && (
        <button type="button" onClick={asked.more} disabled={asked.waiting}>
          More
        </button>
      )}
      {first?.incomplete && first.incomplete.length > 0 && (
        <details class="lacks">
          <summary>What this list may lack</summary>
          <ul>
            {first.incomplete.map((t) => (
              <li key={t}>{sentence(t)}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
