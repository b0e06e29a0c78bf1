/**
 * What somebody has noted of the findings, in this browser and nowhere else.
 *
 * @module
 */
import { useState } from "preact/hooks";

export const marks = { open: "To look at", done: "Done", kept: "Stays" } as const;
export type Mark = keyof typeof marks;

const prefix = "quarry-marks:";

function read(key: string): Record<string, Mark> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(prefix + key) ?? "{}");
    if (typeof kept !== "object" || kept === null) return {};
    return Object.fromEntries(Object.entries(kept).filter((e): e is [string, Mark] => typeof e[1] === "string" && e[1] in marks));
  } catch {
    return {};
  }
}

/** The marks of a list, by what the findings are called; what has none is open. */
export function useMarks(list: string): { of: (finding: string) => Mark; mark: (finding: string, as: Mark) => void } {
  const [all, set] = useState(() => ({ list, marks: read(list) }));
  const now = all.list === list ? all.marks : read(list);
  return {
    of: (finding) => now[finding] ?? "open",
    mark: (finding, as) => {
      const { [finding]: _, ...others } = read(list); // another tab may have changed them
      const next = as === "open" ? others : { ...others, [finding]: as };
      try {
        localStorage.setItem(prefix + list, JSON.stringify(next));
      } catch {
        // The browser keeps nothing: the marks are gone with the page.
      }
      set({ list, marks: next });
    },
  };
}
