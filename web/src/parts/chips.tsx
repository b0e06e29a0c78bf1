import { useState } from "preact/hooks";

/** One of several, as a row of buttons of which one is pressed. `options` are their words by key. */
export function Choice<K extends string>({ label, options, value, choose }: { label: string; options: Readonly<Record<K, string>>; value: K; choose: (key: K) => void }) {
  return (
    <div class="chips" role="group" aria-label={label}>
      {(Object.keys(options) as K[]).map((key) => (
        <button key={key} type="button" class="chip" aria-pressed={key === value} onClick={() => choose(key)}>
          {options[key]}
        </button>
      ))}
    </div>
  );
}

/** A filter that is any text: each value is a chip that takes it away, and a field adds one. */
export function Filter({ label, values, hints = [], change }: { label: string; values: readonly string[]; hints?: readonly string[]; change: (values: string[]) => void }) {
  const [text, set] = useState("");
  const id = `filter-${label}`;
  const add = () => {
    const value = text.trim();
    if (value !== "" && !values.includes(value)) change([...values, value]);
    set("");
  };
  return (
    <span class="chips" role="group" aria-label={label}>
      {values.map((v) => (
        <button key={v} type="button" class="chip on" aria-label={`Without ${label.toLowerCase()} ${v}`} onClick={() => change(values.filter((x) => x !== v))}>
          {label}: {v} <span aria-hidden="true">×</span>
        </button>
      ))}
      <input
        class="chip"
        aria-label={`${label}: add`}
        placeholder={label}
        list={hints.length > 0 ? id : undefined}
        value={text}
        spellcheck={false}
        autocomplete="off"
        onInput={(e) => set(e.currentTarget.value)}
        onChange={add}
        onKeyDown={(e) => {
          if (e.key === "Enter") {
            e.preventDefault();
            add();
          }
        }}
      />
      {hints.length > 0 && (
        <datalist id={id}>
          {hints.map((h) => (
            <option key={h} value={h} />
          ))}
        </datalist>
      )}
    </span>
  );
}
