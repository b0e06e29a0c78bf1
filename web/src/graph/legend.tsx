/** Says what the looks of a picture mean. `paths`: there are paths in it. */
export function Legend({ paths }: { paths: boolean }) {
  return (
    <ul class="legend" aria-label="What the lines and boxes mean">
      <Key kind="exact">sure</Key>
      <Key kind="scoped">narrowed to few</Key>
      <Key kind="ambiguous">one of several, or by name</Key>
      {paths && <Key kind="path">on a path</Key>}
      <li>
        <span class="key box target" aria-hidden="true" /> the target
      </li>
      <li>
        <span class="key box test" aria-hidden="true" /> test
      </li>
      <li>
        <span class="key box many" aria-hidden="true" /> stands for several
      </li>
    </ul>
  );
}

function Key({ kind, children }: { kind: string; children: string }) {
  return (
    <li>
      <svg class={`key ${kind}`} width="36" height="10" aria-hidden="true">
        <line x1="0" y1="5" x2="36" y2="5" />
      </svg>{" "}
      {children}
    </li>
  );
}
