import { get, type Schemas, sentence, useAsk } from "../api.js";
import { codeAddress } from "../parts/place.js";

/** The symbols of a file, as they are nested. */
export function Outline({ path, project, version, line }: { path: string; project: string; version: number; line: number }) {
  const { answer, error } = useAsk(JSON.stringify([project, path, version]), async (signal) => {
    return (await get("/structure", { path, project }, signal)) as Schemas["StructureResponse"];
  });
  if (error !== undefined) return <p class="muted">{sentence(error)}</p>;
  if (!answer) return null;
  const file = answer.files.find((f) => f.file === path);
  if (!file || file.symbols.length === 0) return <p class="muted">{file ? "No symbol is known in this file." : "This file is not in the index."}</p>;
  const around = file.symbols.filter((s) => s.line <= line && line <= s.end_line).at(-1);
  return (
    <ul class="outline">
      {file.symbols.map((s) => (
        <li key={`${s.line} ${s.parent} ${s.name}`} class={`depth-${Math.min(depth(s), 4)}`}>
          <a href={codeAddress(path, s.line)} title={s.signature} aria-current={s === around ? "location" : undefined}>
            {s.name}
          </a>{" "}
          <span class="muted">{s.kind}</span>
        </li>
      ))}
      {file.omitted !== undefined && file.omitted > 0 && <li class="muted">{file.omitted} more are left out.</li>}
    </ul>
  );
}

function depth(s: Schemas["StructureSymbol"]): number {
  return s.parent ? s.parent.split(".").length : 0;
}
