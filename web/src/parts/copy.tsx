import { useEffect, useState } from "preact/hooks";

/** Puts a text into the clipboard. Where the browser forbids that, it says so. */
export function Copy({ text, label }: { text: string; label: string }) {
  const [said, say] = useState("");
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => say(""), 3000);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () => {
    const done = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error("no clipboard"));
    done.then(
      () => say("Copied."),
      () => say("The browser does not let this page copy."),
    );
  };
  return (
    <>
      <button type="button" onClick={copy}>
        {label}
      </button>{" "}
      <span role="status" class="muted">
        {said}
      </span>
    </>
  );
}
