/**
 * The keys of the code: what each does with the lines that are selected and the word that is chosen.
 *
 * @module
 */
import type { Source } from "./file.js";
import type { Word } from "./lines.js";
import { type Range, tokens } from "./tokens.js";

/** What a key asks for. */
export type Action =
  | { do: "select"; range: Range }
  | { do: "word"; word: Word }
  | { do: "open"; word: Word }
  | { do: "slice"; direction: "backward" | "forward"; line: number }
  | { do: "flow"; line: number }
  | { do: "jump" }
  | { do: "close" };

const page = 30; // lines

/** Says what a key does; undefined: nothing. */
export function action(event: KeyboardEvent, source: Source, selection: Range | undefined, word: Word | undefined): Action | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const line = selection?.to ?? 1;
  const move = (to: number): Action => {
    const at = Math.min(Math.max(to, 1), Math.max(source.total, 1));
    return { do: "select", range: event.shiftKey && selection ? { from: Math.min(selection.from, at), to: Math.max(at, selection.from) } : { from: at, to: at } };
  };
  switch (event.key) {
    case "ArrowDown":
    case "j":
      return move(selection ? line + 1 : 1);
    case "ArrowUp":
    case "k":
      return move(line - 1);
    case "PageDown":
      return move(line + page);
    case "PageUp":
      return move(line - page);
    case "Home":
      return move(1);
    case "End":
      return move(source.total);
    case "ArrowRight":
    case "ArrowLeft": {
      const next = nextTo(source, line, word, event.key === "ArrowRight" ? 1 : -1);
      return next && { do: "word", word: next };
    }
    case "Enter":
      return word && { do: "open", word };
    case "b":
      return { do: "slice", direction: "backward", line };
    case "f":
      return { do: "slice", direction: "forward", line };
    case "c":
      return { do: "flow", line };
    case "g":
      return { do: "jump" };
    case "Escape":
      return { do: "close" };
    default:
      return undefined;
  }
}

/** The name before or after another one in its line. */
function nextTo(source: Source, line: number, word: Word | undefined, step: 1 | -1): Word | undefined {
  const text = source.lines.get(line);
  if (!text) return undefined;
  const names = tokens(text.text, text.stretches, source.classes).filter((t) => t.name);
  const at = word?.line === line ? names.findIndex((t) => t.start === word.start) : -1;
  const to = at < 0 ? (step > 0 ? 0 : names.length - 1) : Math.min(Math.max(at + step, 0), names.length - 1);
  const found = names[to];
  return found && { line, start: found.start, text: found.text };
}
