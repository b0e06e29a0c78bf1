import { Component } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Line, Source } from "./file.js";
import { type Range, shown, type Token, tokens } from "./tokens.js";

/** A word of the text, and where it stands. */
export interface Word {
  line: number;
  start: number;
  text: string;
}

const more = 25; // lines above and below the window that are there, too

interface Props {
  source: Source;
  selection: Range | undefined;
  /** The word that the keys are at. */
  word: Word | undefined;
  /** Lines of a slice with the reason of each; undefined where there is no slice. */
  lit: ReadonlyMap<number, string> | undefined;
  need: (from: number, to: number) => void;
  onWord: (word: Word, event: MouseEvent) => void;
  onHover: (word: Word | undefined, at: Element | undefined) => void;
  onNumber: (line: number, extend: boolean) => void;
  onKey: (event: KeyboardEvent) => void;
}

/** The lines of a file, of which only those in the window are in the document. */
export function Lines(p: Props) {
  const box = useRef<HTMLDivElement>(null);
  const { first, last } = useWindow(box, p.source.total);
  useEffect(() => p.need(first, last), [first, last, p.source]);
  const space = useRef<HTMLDivElement>(null);
  const shownRows = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (space.current) space.current.style.height = `${p.source.total}lh`;
    if (shownRows.current) shownRows.current.style.transform = `translateY(${first - 1}lh)`;
  }, [p.source.total, first]);
  const rows = [];
  for (let n = first; n <= last; n++) {
    rows.push(
      <Row
        key={n}
        number={n}
        line={p.source.lines.get(n)}
        classes={p.source.classes}
        selected={p.selection !== undefined && n >= p.selection.from && n <= p.selection.to}
        reason={p.lit?.get(n)}
        dim={p.lit !== undefined && !p.lit.has(n)}
        word={p.word?.line === n ? p.word.start : -1}
      />,
    );
  }
  const wordOf = (target: EventTarget | null): [Word, Element] | undefined => {
    const at = target instanceof Element ? target.closest<HTMLElement>("[data-at]") : null;
    const line = at?.closest<HTMLElement>("[data-line]")?.dataset.line;
    if (!at || line === undefined) return undefined;
    return [{ line: Number(line), start: Number(at.dataset.at), text: at.textContent ?? "" }, at];
  };
  return (
    <div
      ref={box}
      class="code"
      id="code"
      tabIndex={0}
      role="region"
      aria-label={`${p.source.path}, ${p.source.total} lines`}
      aria-describedby="keys"
      onKeyDown={p.onKey}
      onClick={(e) => {
        const number = e.target instanceof Element ? e.target.closest<HTMLElement>("[data-number]")?.dataset.number : undefined;
        if (number !== undefined) {
          e.preventDefault();
          p.onNumber(Number(number), e.shiftKey);
          return;
        }
        const found = wordOf(e.target);
        if (found && !getSelection()?.toString()) p.onWord(found[0], e);
      }}
      onMouseOver={(e) => {
        const found = wordOf(e.target);
        p.onHover(found?.[0], found?.[1]);
      }}
      onMouseLeave={() => p.onHover(undefined, undefined)}
    >
      <div class="space" ref={space}>
        <div class="rows" ref={shownRows}>
          {rows}
        </div>
      </div>
    </div>
  );
}

interface RowProps {
  number: number;
  line: Line | undefined;
  classes: readonly string[];
  selected: boolean;
  reason: string | undefined;
  dim: boolean;
  word: number;
}

/** One line. While one scrolls most stay as they are, and are not looked at again. */
class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const now = this.props;
    return next.line !== now.line || next.selected !== now.selected || next.reason !== now.reason || next.dim !== now.dim || next.word !== now.word;
  }

  override render(p: RowProps) {
    const parts = p.line ? tokens(p.line.text, p.line.stretches, p.classes) : [];
    const state = `row${p.selected ? " selected" : ""}${p.reason !== undefined ? " lit" : ""}${p.dim ? " dim" : ""}`;
    return (
      <div class={state} data-line={p.number} title={p.reason}>
        <span class="number" data-number={p.number} aria-hidden="true">
          {p.number}
        </span>
        <code>
          {p.line === undefined ? <span class="muted">…</span> : parts.map((t) => <Part key={t.start} token={t} at={t.start === p.word} />)}
          {p.line?.cut && <span class="muted"> … the rest of this line is too long to be shown</span>}
          {"\n"}
        </code>
      </div>
    );
  }
}

function Part({ token, at }: { token: Token; at: boolean }) {
  if (!token.name && token.kind === "plain") return <>{token.text}</>;
  if (!token.name) return <span class={`t-${token.kind}`}>{shown(token)}</span>;
  return (
    <span class={`t-${token.kind} name${at ? " at" : ""}`} data-at={token.start}>
      {token.text}
    </span>
  );
}

/** Which lines of a box are in the window of the browser. */
function useWindow(box: { current: HTMLDivElement | null }, total: number): { first: number; last: number } {
  const [state, set] = useState({ first: 1, last: Math.min(total, 2 * more) });
  const look = () => {
    const element = box.current;
    if (!element) return;
    const height = rowHeight(element);
    const top = element.getBoundingClientRect().top;
    const first = Math.max(1, Math.min(Math.floor(-top / height) - more, total - 1));
    const last = Math.min(total, Math.ceil((innerHeight - top) / height) + more);
    // Steps of some lines: a pixel of scrolling is no reason to draw anything.
    const from = Math.max(1, first - (first % 20));
    const to = Math.min(total, Math.max(last, 1) + 20);
    set((s) => (s.first === from && Math.abs(s.last - to) < 20 && s.last >= last && s.last <= total ? s : { first: from, last: to }));
  };
  useLayoutEffect(look, [total]);
  // Before anything scrolls the page: the first time is when the view goes to its line.
  useLayoutEffect(() => {
    let frame = 0;
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    };
    addEventListener("scroll", soon, { passive: true });
    addEventListener("resize", soon);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", soon);
      removeEventListener("resize", soon);
    };
  }, [total]);
  return state;
}

/** How high a line is, in pixels. */
export function rowHeight(code: Element): number {
  return parseFloat(getComputedStyle(code).lineHeight) || 20;
}

/** Whether a line is in the window. */
export function inWindow(line: number): boolean {
  const code = document.getElementById("code");
  if (!code) return false;
  const top = code.getBoundingClientRect().top + (line - 1) * rowHeight(code);
  return top >= 0 && top < innerHeight - 20;
}

/** Scrolls the page so that a line is in its middle; with `least`, only as far as it must be. */
export function reveal(line: number, least = false): void {
  const code = document.getElementById("code");
  if (!code) return;
  const height = rowHeight(code);
  const top = code.getBoundingClientRect().top + scrollY + (line - 1) * height;
  if (!least) scrollTo(0, top - innerHeight / 3);
  else if (top < scrollY + 80) scrollTo(0, top - 80);
  else if (top + 2 * height > scrollY + innerHeight) scrollTo(0, top + 2 * height - innerHeight);
}
