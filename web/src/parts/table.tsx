import type { ComponentChildren } from "preact";

/** A table that scrolls by itself where it is too wide. Its rows are given. */
export function Table({ label, caption, heads, children }: { label: string; caption?: string; heads: string[]; children: ComponentChildren }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        {caption && <caption class="muted">{caption}</caption>}
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
