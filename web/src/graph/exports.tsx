import { useState } from "preact/hooks";
import { ask, sentence } from "../api.js";
import { Notice } from "../parts/notice.js";
import { fileName, save } from "../parts/save.js";
import type { Shown } from "./picture.js";
import { request, type State } from "./state.js";

const forms = { svg: ["SVG", "image/svg+xml"], mermaid: ["Mermaid", "text/plain"], dot: ["DOT", "text/plain"] } as const;
const extensions = { svg: "svg", mermaid: "mmd", dot: "dot" } as const;

/** Keeps the graph as a file: PNG as it is shown, the rest as the server draws it. */
export function Exports({ state, project, shown }: { state: State; project: string; shown: Shown | undefined }) {
  const [error, set] = useState<unknown>();
  const tell = (work: Promise<void>) => work.then(() => set(undefined), set);
  const draw = async (form: keyof typeof forms) => {
    const { drawing } = await ask("/graph", { ...request(state, project), draw: form });
    save(fileName(state.target, extensions[form]), new Blob([drawing ?? ""], { type: forms[form][1] }));
  };
  const png = async (picture: Shown) => save(fileName(state.target, "png"), await picture.png());
  return (
    <>
      <div class="chips" role="group" aria-label="Keep as a file">
        {shown && (
          <button type="button" class="chip" onClick={() => void tell(png(shown))}>
            PNG
          </button>
        )}
        {(Object.keys(forms) as (keyof typeof forms)[]).map((form) => (
          <button key={form} type="button" class="chip" onClick={() => void tell(draw(form))}>
            {forms[form][0]}
          </button>
        ))}
      </div>
      {error !== undefined && <Notice kind="error">{sentence(error)}</Notice>}
    </>
  );
}
