import { useEffect, useRef, useState } from "preact/hooks";
import { ask, type Schemas, sentence, useAsk } from "../api.js";
import { useListKeys } from "../parts/list.js";
import { codeAddress } from "../parts/place.js";
import { go } from "../router.js";
import { parseSpot } from "./tokens.js";

/** Asks for a file by a part of its name, and goes there: `car api:20` finds line 20 of api/cart.go. */
export function Jump({ project, close }: { project: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [text, set] = useState("");
  useListKeys(list, field);
  useEffect(() => {
    dialog.current?.showModal();
    field.current?.focus();
  }, []);
  const [hurry, setHurry] = useState(false); // Enter came before the answer
  const spot = parseSpot(text);
  const wanted = (spot?.file ?? text).replace(/:\d*$/, "").trim();
  const { answer, error, waiting } = useAsk(wanted === "" ? "" : `${project}\n${wanted}`, (signal) => files(wanted, project, signal));
  const found = wanted === "" ? [] : (answer ?? []);
  const leave = (address?: string) => {
    dialog.current?.close();
    close();
    if (address) go(address);
  };
  const addressOf = (file: string) => codeAddress(file, spot?.line) ?? "";
  useEffect(() => {
    if (!hurry || waiting) return;
    setHurry(false);
    if (found[0]) leave(addressOf(found[0]));
  }, [hurry, waiting]);
  return (
    <dialog ref={dialog} class="jump" aria-label="Go to a file" onClose={close}>
      <label for="jump">Go to a file: parts of its path, and a line after a colon</label>
      <input
        id="jump"
        ref={field}
        value={text}
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        onInput={(e) => set(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key !== "Enter") return;
          e.preventDefault();
          if (waiting) setHurry(true);
          else if (found[0]) leave(addressOf(found[0]));
        }}
      />
      <ul ref={list} class="entries" aria-busy={waiting}>
        {found.map((file) => (
          <li key={file}>
            <a
              href={addressOf(file)}
              data-item
              onClick={(e) => {
                if (e.metaKey || e.ctrlKey || e.shiftKey) return;
                e.preventDefault();
                leave(addressOf(file));
              }}
            >
              {file}
            </a>
          </li>
        ))}
      </ul>
      <p role="status" class="muted">
        {error !== undefined ? sentence(error) : wanted !== "" && !waiting && found.length === 0 ? "No file has such a name." : ""}
      </p>
    </dialog>
  );
}

const most = 30;

/** Finds files whose paths have some parts in their order, or else the letters; the likeliest first. */
async function files(text: string, project: string, signal: AbortSignal): Promise<string[]> {
  const parts = text.split(/[\s/]+/).filter(Boolean);
  const paths = await matching(parts, project, signal);
  const letters = [...text.replace(/\s+/g, "")];
  if (paths.length > 0 || letters.length < 2 || letters.length > 40) return ranked(paths, text);
  return ranked(await matching(letters, project, signal), text);
}

async function matching(parts: readonly string[], project: string, signal: AbortSignal): Promise<string[]> {
  const pattern = parts.map((p) => p.replace(/[\\*?[\]]/g, "\\$&")).join("*");
  const body = { path: ".", expression: ["-type", "f", "-ipath", `*${pattern}*`], limit: 500, ...(project ? { project } : {}) };
  const answer = (await ask("/find", body, signal)) as Schemas["FindResponse"];
  return answer.paths.map((p) => p.path);
}

/** Those come first that have the text in their name, and of these the short ones. */
export function ranked(paths: readonly string[], text: string): string[] {
  const low = text.trim().toLowerCase();
  const score = (path: string) => {
    const lower = path.toLowerCase();
    const name = lower.slice(lower.lastIndexOf("/") + 1);
    return (lower.endsWith(low) ? 0 : 1000) + (name.startsWith(low) ? 0 : name.includes(low) ? 300 : 600) + path.length;
  };
  return paths.toSorted((a, b) => score(a) - score(b) || a.localeCompare(b, "en")).slice(0, most);
}
