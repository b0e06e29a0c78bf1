import type { ComponentChildren } from "preact";

/** Says something about what is shown: an error is read out at once, the rest when there is a pause. */
export function Notice({ kind = "note", children }: { kind?: "note" | "error"; children: ComponentChildren }) {
  return (
    <p class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </p>
  );
}
