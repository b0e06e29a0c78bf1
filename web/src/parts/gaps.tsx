import { Notice } from "./notice.js";

const shown = 2;

/** Says why an answer may lack something. Bounds of the request are said elsewhere. */
export function Gaps({ incomplete = [] }: { incomplete?: readonly string[] | undefined }) {
  const all = incomplete.filter((why) => !why.startsWith("cut by"));
  if (all.length === 0) return null;
  if (all.length <= shown) {
    return (
      <>
        {all.map((why) => (
          <Notice key={why}>Not all is known: {why}.</Notice>
        ))}
      </>
    );
  }
  return (
    <details class="notice">
      <summary>Not all is known, for {all.length} reasons</summary>
      <ul>
        {all.map((why) => (
          <li key={why}>{why}</li>
        ))}
      </ul>
    </details>
  );
}
