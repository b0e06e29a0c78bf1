import { useState } from "preact/hooks";
import { ask, sentence, useAsk } from "../api.js";
import { Answer } from "../impact/answer.js";
import { keepDiff, keptDiff, params, read, request, type State, ways } from "../impact/state.js";
import { Choice } from "../parts/chips.js";
import { Field } from "../parts/field.js";
import { Notice } from "../parts/notice.js";
import { go, href, useScroll } from "../router.js";
import type { ViewProps } from "../views.js";

/** Shows what a change of a symbol, a diff, or what git says has changed may break, and the tests to run. */
export default function ImpactView({ place, project }: ViewProps) {
  const state = read(place.query);
  const [diff, setDiff] = useState(keptDiff);
  const question = request(state, diff, project);
  const { answer, error, waiting } = useAsk(question ? JSON.stringify(question) : "", (signal) => ask("/impact", question ?? {}, signal));
  useScroll(place, answer !== undefined || !waiting);
  const show = (part: Partial<State>) => go(href("impact", "", params({ ...state, ...part })));
  return (
    <>
      <h1>What breaks</h1>
      <form onSubmit={(e) => e.preventDefault()}>
        <Choice label="What is changed" options={ways} value={state.way} choose={(way) => show({ way })} />
        {state.way === "target" && (
          <Field id="target" label="A change of" value={state.target} placeholder="a name, file:name, file:line or a file" change={(target) => show({ target })} />
        )}
        {state.way === "git" && <Field id="base" label="Since the revision" value={state.base} placeholder="HEAD" change={(base) => show({ base })} />}
        {state.way === "diff" && (
          <Paste
            diff={diff}
            change={(text) => {
              keepDiff(text);
              setDiff(text);
            }}
          />
        )}
      </form>
      <div class={waiting ? "results waiting" : "results"} aria-busy={waiting}>
        {error !== undefined && <Notice kind="error">{sentence(error)}</Notice>}
        {answer && question && <Answer found={answer} />}
      </div>
    </>
  );
}

/** Takes a diff: it counts once the button is pressed. It is kept in this tab alone. */
function Paste({ diff, change }: { diff: string; change: (diff: string) => void }) {
  const [text, set] = useState(diff);
  return (
    <div class="paste">
      <label for="diff">A unified diff, as git diff writes it</label>
      <textarea id="diff" rows={8} value={text} spellcheck={false} placeholder="diff --git a/… b/…" onInput={(e) => set(e.currentTarget.value)} />
      <button type="button" onClick={() => change(text)} disabled={text.trim() === ""}>
        Find what breaks
      </button>
    </div>
  );
}
