import { useEffect, useRef, useState } from "preact/hooks";
import { sentence } from "../api.js";
import { useFile } from "../code/file.js";
import { useHover } from "../code/hover.js";
import { Jump } from "../code/jump.js";
import { action } from "../code/keys.js";
import { inWindow, Lines, reveal, type Word } from "../code/lines.js";
import { Outline } from "../code/outline.js";
import { Panel } from "../code/panel.js";
import { lit, readSlicing, SlicePanel, type Slicing, useSlice } from "../code/slice.js";
import { type List, lists, named } from "../code/symbol.js";
import { byteColumn, formatRange, parseRange, parseSpot, type Range, type Spot } from "../code/tokens.js";
import { Tree } from "../code/tree.js";
import { Notice } from "../parts/notice.js";
import { go, href, useScroll } from "../router.js";
import { lacks } from "../search/words.js";
import type { ViewProps } from "../views.js";

/** What of the view is in the parameters of its address. */
interface Shows {
  symbol: Spot | undefined;
  list: List;
  slicing: Slicing | undefined;
}

/** Shows a file: its text, what is in it, and what its names mean. */
export default function CodeView({ place, project }: ViewProps) {
  const path = place.rest;
  const selection = parseRange(place.hash);
  const shows = read(place.query);
  const file = useFile(path, project, selection?.from ?? 1);
  const { source } = file;
  const [word, setWord] = useState<Word | undefined>(undefined);
  const [jumping, setJumping] = useState(path === "");
  const [note, setNote] = useState("");
  const slice = useSlice(path, project, shows.slicing);
  const hover = useHover(source, project);
  const loaded = source !== undefined && source.path === path && source.index !== undefined;
  useScroll(place, loaded || file.error !== undefined || path === "", useArrival(path, selection?.from));
  useEffect(() => {
    setWord(undefined);
    setNote("");
  }, [path, project]);
  useEffect(() => {
    if (path !== "") document.title = `${path.slice(path.lastIndexOf("/") + 1)} - Quarry`;
  }, [path]);
  useJumpKey(() => setJumping(true));

  const address = (part: Partial<Shows>, range = selection) => write(path, { ...shows, ...part }, range);
  const select = (range: Range, replace: boolean) => go(address({}, range), { replace });
  const open = async (at: Word) => {
    setWord(at);
    setNote("");
    const line = source?.lines.get(at.line)?.text ?? "";
    try {
      const found = await named({ file: path, line: at.line, column: byteColumn(line, at.start) }, project);
      const first = found.meant[0];
      if (first) go(address({ symbol: first, slicing: undefined }));
      else if (found.local !== undefined) go(address({}, { from: found.local, to: found.local }));
      else setNote(`The index knows no definition of ${at.text}.`);
    } catch (error) {
      setNote(sentence(error));
    }
  };
  const onKey = (event: KeyboardEvent) => {
    if (!source) return;
    const what = action(event, source, selection, word);
    if (!what) return;
    event.preventDefault();
    switch (what.do) {
      case "select":
        setWord(undefined);
        select(what.range, true);
        reveal(what.range.to, true);
        break;
      case "word":
        setWord(what.word);
        break;
      case "open":
        void open(what.word);
        break;
      case "slice":
        go(address({ slicing: { line: what.line, direction: what.direction, depth: 0 }, symbol: undefined }));
        break;
      case "flow":
        go(href("cfg", path, {}, `L${what.line}`));
        break;
      case "jump":
        setJumping(true);
        break;
      case "close":
        go(address({ symbol: undefined, slicing: undefined }));
        break;
    }
  };
  const at = selection?.from ?? 1;
  const panel = shows.symbol !== undefined || shows.slicing !== undefined;
  return (
    <div class={panel ? "reader with-panel" : "reader"}>
      <Sides path={path} project={project} version={source?.index?.generation ?? 0} line={at} />
      <section class="file-text">
        <div class="file-head">
          <h1>
            <code>{path || "Code"}</code>
          </h1>
          <button type="button" onClick={() => setJumping(true)}>
            Go to a file <kbd>g</kbd>
          </button>
          {loaded && selection && (
            <span class="chips" role="group" aria-label={`Line ${at}`}>
              <a class="chip" href={address({ slicing: { line: at, direction: "backward", depth: 0 }, symbol: undefined })}>
                What line {at} depends on
              </a>
              <a class="chip" href={address({ slicing: { line: at, direction: "forward", depth: 0 }, symbol: undefined })}>
                What depends on it
              </a>
              <a class="chip" href={href("cfg", path, {}, `L${at}`)}>
                Control flow
              </a>
            </span>
          )}
        </div>
        {file.error !== undefined && <Notice kind="error">{sentence(file.error)}</Notice>}
        {loaded && <Notes source={source} />}
        {note && <Notice>{note}</Notice>}
        {path === "" && <p class="muted">Choose a file.</p>}
        {loaded && selection && selection.from > source.total && <Notice>The file has {source.total} lines.</Notice>}
        {loaded && (
          <Lines
            source={source}
            selection={selection}
            word={word}
            lit={lit(shows.slicing && slice.answer, path)}
            need={file.need}
            onWord={(w) => void open(w)}
            onHover={hover.over}
            onNumber={(line, extend) => select(extend && selection ? { from: Math.min(selection.from, line), to: Math.max(selection.from, line) } : { from: line, to: line }, false)}
            onKey={onKey}
          />
        )}
        <p id="keys" class="hidden">
          Arrow keys go through lines and the names in one, Enter asks what a name means, b and f show a slice, c the control flow, g goes to a file, Escape closes the panel.
        </p>
        {hover.tip}
      </section>
      {shows.slicing && <SlicePanel path={path} slicing={shows.slicing} slice={slice} change={(slicing) => go(address({ slicing }))} />}
      {shows.symbol && !shows.slicing && (
        <Panel
          project={project}
          symbol={shows.symbol}
          list={shows.list}
          choose={(list) => go(address({ list }), { replace: true })}
          address={(symbol) => address({ symbol })}
          close={() => go(address({ symbol: undefined }))}
        />
      )}
      {jumping && <Jump project={project} close={() => setJumping(false)} />}
    </div>
  );
}

function read(query: URLSearchParams): Shows {
  const list = query.get("list") ?? "";
  return { symbol: parseSpot(query.get("symbol") ?? ""), list: list in lists ? (list as List) : "definition", slicing: readSlicing(query) };
}

function write(path: string, s: Shows, range: Range | undefined): string {
  return href(
    "code",
    path,
    {
      symbol: s.symbol && `${s.symbol.file}:${s.symbol.line}`,
      list: s.symbol && s.list !== "definition" && s.list,
      ...(s.slicing ? { slice: s.slicing.direction, of: s.slicing.line, calls: s.slicing.depth || undefined } : {}),
    },
    formatRange(range),
  );
}

/** Files and outline; on a narrow window they are folded. */
function Sides({ path, project, version, line }: { path: string; project: string; version: number; line: number }) {
  const wide = useRef(matchMedia("(min-width: 60rem)").matches).current;
  return (
    <div class="sides">
      <details open={wide || path === ""}>
        <summary>Files</summary>
        <nav aria-label="Files">
          <Tree project={project} current={path} />
        </nav>
      </details>
      {path !== "" && (
        <details open={wide}>
          <summary>Outline</summary>
          <nav aria-label="Outline">
            <Outline path={path} project={project} version={version} line={line} />
          </nav>
        </details>
      )}
    </div>
  );
}

/** What the text and the answers about it lack. */
function Notes({ source }: { source: NonNullable<ReturnType<typeof useFile>["source"]> }) {
  return (
    <>
      {source.changed && <Notice>The file has changed since it was indexed: what names mean is known of the older text.</Notice>}
      {source.index && !source.changed && lacks(source.index).filter((t) => !t.startsWith("By meaning")).map((t) => <Notice key={t}>{t}</Notice>)}
      {source.incomplete.map((t) => (
        <p key={t} class="muted">
          {sentence(t)}
        </p>
      ))}
      {source.total === 0 && <p class="muted">The file is empty.</p>}
    </>
  );
}

/** Where to begin at an address that was not left before: at its line, or where one is if that shows it. */
function useArrival(path: string, line: number | undefined): () => void {
  const before = useRef("");
  return () => {
    const stays = before.current === path && (line === undefined || inWindow(line));
    before.current = path;
    if (stays) return;
    if (line === undefined) scrollTo(0, 0);
    else reveal(line);
  };
}

/** Opens the dialog with the key g from anywhere but where one writes. */
function useJumpKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const at = event.target;
      if (event.key !== "g" || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      if (at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      open();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
}
