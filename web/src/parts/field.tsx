import { useEffect, useState } from "preact/hooks";

/** A field whose text counts once it is sent off: by Enter, or by leaving it. */
export function Field({ id, label, value, placeholder, change }: { id: string; label: string; value: string; placeholder?: string; change: (value: string) => void }) {
  const [text, set] = useState(value);
  useEffect(() => set(value), [value]);
  const send = () => text.trim() !== value && change(text.trim());
  return (
    <label class="field" for={id}>
      {label}{" "}
      <input
        id={id}
        value={text}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        maxLength={4352}
        onInput={(e) => set(e.currentTarget.value)}
        onBlur={send}
        onKeyDown={(e) => e.key === "Enter" && (e.preventDefault(), send())}
      />
    </label>
  );
}
