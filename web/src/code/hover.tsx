import { useEffect, useRef, useState } from "preact/hooks";
import type { Source } from "./file.js";
import type { Word } from "./lines.js";
import { named, summary } from "./symbol.js";
import { byteColumn } from "./tokens.js";

const patience = 350; // milliseconds for which one stays on a name
const kept = 200; // answers

interface Told {
  signature: string;
  words: string;
  place: string;
}

const memory = new Map<string, Promise<Told | undefined>>();

/** Says what a name means where one stays on it; nothing where that is not known. */
export function useHover(source: Source | undefined, project: string): { over: (word: Word | undefined, at: Element | undefined) => void; tip: preact.ComponentChild } {
  const [state, set] = useState<{ told: Told; x: number; y: number } | undefined>(undefined);
  const timer = useRef(0);
  const last = useRef("");
  const hide = () => {
    clearTimeout(timer.current);
    last.current = "";
    set(undefined);
  };
  const over = (word: Word | undefined, at: Element | undefined) => {
    const key = word && source ? JSON.stringify([project, source.path, word, source.index?.generation]) : "";
    if (key === last.current) return;
    hide();
    if (!word || !at || !source) return;
    last.current = key;
    timer.current = window.setTimeout(() => {
      void tell(key, source, word, project).then((told) => {
        if (!told || last.current !== key || !at.isConnected) return;
        const box = at.getBoundingClientRect();
        set({ told, x: Math.max(0, Math.min(box.left, innerWidth - 330)), y: box.bottom + 4 });
      });
    }, patience);
  };
  useEffect(() => {
    addEventListener("scroll", hide, { passive: true });
    return () => {
      removeEventListener("scroll", hide);
      clearTimeout(timer.current);
    };
  }, []);
  const tip = state && (
    <div
      class="tip"
      role="tooltip"
      ref={(e) => {
        if (!e) return;
        e.style.left = `${state.x}px`;
        e.style.top = `${state.y}px`;
      }}
    >
      <code>{state.told.signature}</code>
      {state.told.words && <p>{state.told.words}</p>}
      <p class="muted">{state.told.place}</p>
    </div>
  );
  return { over, tip };
}

/** Asks what a word means, once. What goes wrong is no answer: nobody has asked for one. */
function tell(key: string, source: Source, word: Word, project: string): Promise<Told | undefined> {
  const found = memory.get(key);
  if (found) return found;
  const line = source.lines.get(word.line)?.text ?? "";
  const asked = (async () => {
    const n = await named({ file: source.path, line: word.line, column: byteColumn(line, word.start) }, project);
    const first = n.meant[0];
    if (!first) return n.local === undefined ? undefined : { signature: n.name, words: "", place: `A variable of the function, declared in line ${n.local}` };
    const words = await summary(first, project).catch(() => "");
    const others = n.meant.length > 1 ? `, or ${n.meant.length - 1} more` : "";
    return { signature: first.signature, words, place: `${first.guessed ? "By its name alone: " : ""}${first.file}:${first.line}${others}` };
  })().catch(() => undefined);
  memory.set(key, asked);
  for (const oldest of memory.keys()) {
    if (memory.size <= kept) break;
    memory.delete(oldest);
  }
  return asked;
}
