import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { sentence } from "../api.js";
import { Choice, Filter } from "../parts/chips.js";
import { useListKeys, useSlash } from "../parts/list.js";
import { Notice } from "../parts/notice.js";
import { go, href, useScroll } from "../router.js";
import { type Found, useSearch } from "../search/ask.js";
import { Results } from "../search/results.js";
import { lastLimit, modes, params, read, type Search, tests, words } from "../search/state.js";
import { amount, lacks } from "../search/words.js";
import type { ViewProps } from "../views.js";

/** Finds code as one types. */
export default function SearchView({ place, project }: ViewProps) {
  const search = read(place.query);
  const [typed, type] = useState(search.query);
  const typing = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list, field);
  useSlash(field);
  useEffect(() => {
    // What has the focus keeps it, such as the field of the token.
    if (document.activeElement === document.body) field.current?.focus({ preventScroll: true });
  }, []);
  // The address may change by going back: then the field follows it.
  useLayoutEffect(() => {
    if (typed !== search.query) type(search.query);
  }, [search.query]);

  const now: Search = { ...search, query: typed };
  const { answer: found, error, waiting } = useSearch(now, project);
  useScroll(place, found !== undefined || !waiting);

  /** Puts a search into the address: what is typed in one go is one entry of the history. */
  const show = (next: Search, typing = false) => go(href("search", "", params(next)), { typing });
  const change = (part: Partial<Search>) => show({ ...now, ...part });
  const latest = useRef(change);
  latest.current = change;
  // A key changes what is typed, not yet what is shown: that is not gone through again.
  const answer = useMemo(() => found && <Answer found={found} more={() => latest.current({ limit: lastLimit })} />, [found]);

  return (
    <>
      <h1 class="hidden">Search</h1>
      <form
        role="search"
        onSubmit={(e) => {
          e.preventDefault();
        }}
      >
        <label class="hidden" for="query">
          What to find: words, a name, a question
        </label>
        <input
          id="query"
          class="query"
          ref={field}
          type="search"
          placeholder="Words, a name, a question"
          value={typed}
          autocomplete="off"
          spellcheck={false}
          maxLength={8192}
          onInput={(e) => {
            const query = e.currentTarget.value;
            type(query);
            show({ ...now, query }, typing.current || now.query.trim() === "");
            typing.current = true;
          }}
          onBlur={() => (typing.current = false)}
        />
        <Choice label="What looks" options={modes} value={now.mode} choose={(mode) => change({ mode })} />
        <div class="filters">
          <Choice label="Tests" options={tests} value={now.tests} choose={(t) => change({ tests: t })} />
          <Filter label="Language" values={now.lang} change={(lang) => change({ lang: words(lang) })} />
          <Filter label="Kind" values={now.kind} hints={kinds} change={(kind) => change({ kind: words(kind) })} />
          <Filter label="Path" values={now.path ? [now.path] : []} change={(p) => change({ path: p.at(-1) ?? "" })} />
        </div>
      </form>
      <div ref={list} class={waiting ? "results waiting" : "results"} aria-busy={waiting}>
        {error !== undefined && <Notice kind="error">{sentence(error)}</Notice>}
        {answer}
        {!found && error === undefined && now.query.trim() === "" && (
          <p class="muted">
            Type to search. <kbd>/</kbd> goes to the field, the arrows through the results, <kbd>Enter</kbd> opens one, <kbd>Esc</kbd> goes back to the field.
          </p>
        )}
      </div>
    </>
  );
}

const kinds = ["function", "method", "class", "interface", "struct", "type", "enum", "constant", "variable", "field", "module"];

/** An answer: how much there is, what it may lack, and the results. */
function Answer({ found, more }: { found: Found; more: () => void }) {
  const { results, meta, index } = found.answer;
  return (
    <div data-query={found.search.query}>
      <p role="status" class="amount">
        {amount(results.length, meta)}
      </p>
      {lacks(index, meta).map((text) => (
        <Notice key={text}>{text}</Notice>
      ))}
      <Results found={found} />
      {meta.truncated && found.search.limit < lastLimit && results.length >= found.search.limit && (
        <button type="button" onClick={more}>
          More results
        </button>
      )}
    </div>
  );
}
