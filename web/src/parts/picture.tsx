import { useMemo } from "preact/hooks";

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  class: string;
  /** Its texts, each with its place. */
  lines: { x: number; y: number; text: string }[];
}

interface Drawing {
  title: string;
  width: number;
  height: number;
  boxes: Box[];
  paths: { d: string; class: string }[];
  labels: { x: number; y: number; text: string }[];
}

/**
 * Reads a drawing of the server. Only the shapes that it draws are taken, as numbers and text: no
 * style and no script of it comes into the page. Undefined for what is no such drawing.
 */
export function readDrawing(svg: string): Drawing | undefined {
  // A browser applies the page's policy to what it parses: the styles are left out before.
  const root = new DOMParser().parseFromString(svg.replace(/<style>[^<]*<\/style>/g, ""), "image/svg+xml").documentElement;
  if (root.nodeName !== "svg") return undefined;
  const number = (e: Element, name: string) => Number(e.getAttribute(name)) || 0;
  const words = (e: Element) => (e.getAttribute("class") ?? "").replace(/[^a-z ]/g, "");
  const drawing: Drawing = { title: root.querySelector("title")?.textContent ?? "", width: number(root, "width"), height: number(root, "height"), boxes: [], paths: [], labels: [] };
  for (const e of root.querySelector("g")?.children ?? []) {
    const text = { x: number(e, "x"), y: number(e, "y"), text: e.textContent ?? "" };
    if (e.nodeName === "rect") drawing.boxes.push({ ...text, width: number(e, "width"), height: number(e, "height"), class: words(e), lines: [] });
    else if (e.nodeName === "path") drawing.paths.push({ d: e.getAttribute("d") ?? "", class: words(e) });
    else if (e.nodeName === "text" && words(e) === "l") drawing.labels.push(text);
    else if (e.nodeName === "text") drawing.boxes.at(-1)?.lines.push(text);
  }
  return drawing;
}

/** Shows a drawing of the server; `address` says what a box leads to by its lines. */
export function Picture({ svg, address }: { svg: string; address: (lines: readonly string[]) => string | undefined }) {
  const drawing = useMemo(() => readDrawing(svg), [svg]);
  if (!drawing) return null;
  return (
    <div class="drawing" tabIndex={0} role="group" aria-label={drawing.title}>
      <svg width={drawing.width} height={drawing.height} viewBox={`0 0 ${drawing.width} ${drawing.height}`}>
        <g transform="translate(16 16)">
          {drawing.paths.map((p, i) => (
            <path key={i} class={p.class} d={p.d} />
          ))}
          {drawing.labels.map((l, i) => (
            <text key={i} class="l" x={l.x} y={l.y}>
              {l.text}
            </text>
          ))}
          {drawing.boxes.map((b, i) => {
            const to = address(b.lines.map((l) => l.text));
            const inside = (
              <>
                <rect class={b.class} x={b.x} y={b.y} width={b.width} height={b.height} rx="4" />
                {b.lines.map((l, j) => (
                  <text key={j} x={l.x} y={l.y}>
                    {l.text}
                  </text>
                ))}
              </>
            );
            return to ? (
              <a key={i} href={to}>
                {inside}
              </a>
            ) : (
              <g key={i}>{inside}</g>
            );
          })}
        </g>
      </svg>
    </div>
  );
}
