import cytoscape from "cytoscape";
import { useEffect, useRef } from "preact/hooks";
import { high, layOut } from "./rows.js";

/** A box of a picture: what it says, and how it stands out. */
export interface Box {
  id: string;
  /** At most two lines. */
  lines: readonly string[];
  row: number;
  look: "target" | "plain" | "test" | "many" | "alert";
}

/** An arrow of a picture. The looks are those of the legend. */
export interface Arrow {
  from: string;
  to: string;
  look: "exact" | "scoped" | "ambiguous" | "path" | "alert";
  label?: string;
}

/** What can be asked of a picture that is shown. */
export interface Shown {
  /** The picture as PNG. */
  png: () => Promise<Blob>;
}

interface Props {
  /** What it is a picture of, for those who do not see it. */
  label: string;
  boxes: readonly Box[];
  arrows: readonly Arrow[];
  chosen: string;
  /** Is told of each box that is clicked. */
  choose: (id: string) => void;
  /** Is told when there is a picture, and undefined when it is gone. */
  shown?: (picture: Shown | undefined) => void;
}

const letter = 6.7; // pixels of a letter of the font of boxes
const longest = 42; // letters of a line
const margin = 16; // pixels around all boxes

/**
 * Draws boxes and arrows, to be moved and zoomed. It is for the eyes and the mouse alone: whoever
 * shows it says the same in a list.
 */
export function Picture({ label, boxes, arrows, chosen, choose, shown }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const cy = useRef<cytoscape.Core | undefined>(undefined);
  const tell = useRef(choose);
  tell.current = choose;
  useEffect(() => {
    const container = place.current;
    if (!container) return;
    const began = performance.now();
    const { clientWidth: width, clientHeight: height } = container;
    const all = elements(boxes, arrows, width / Math.max(height, 1));
    const made = cytoscape({
      container, elements: all, style: style(), layout: { name: "preset", fit: false }, ...view(all, width, height), minZoom: 0.05, maxZoom: 3,
      boxSelectionEnabled: false, selectionType: "single",
    });
    container.dataset.milliseconds = String(Math.round(performance.now() - began)); // a test reads how long it took
    made.on("tap", "node", (event) => tell.current(String(event.target.id())));
    cy.current = made;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const restyle = () => void made.style(style());
    dark.addEventListener("change", restyle);
    shown?.({ png: () => made.png({ output: "blob-promise", full: true, scale: 2, maxWidth: 8000, maxHeight: 8000, bg: colour("--ground") }) });
    return () => {
      shown?.(undefined);
      dark.removeEventListener("change", restyle);
      made.destroy();
      cy.current = undefined;
    };
  }, [boxes, arrows]);
  useEffect(() => {
    cy.current?.nodes().removeClass("chosen");
    if (chosen) cy.current?.getElementById(chosen).addClass("chosen");
  }, [chosen, boxes, arrows]);
  return (
    <>
      {/* The library would put a style sheet into the document, which the policy forbids, unless this is there. */}
      <span id="__________cytoscape_stylesheet" hidden />
      <div ref={place} class="picture" role="img" aria-label={label} />
    </>
  );
}

/** Cuts a line that is too long in the middle: both ends of names and paths say something. */
export function short(text: string): string {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}]/gu, "\ufffd");
  if (clean.length <= longest) return clean;
  return `${clean.slice(0, longest / 2 - 1)}…${clean.slice(1 - longest / 2)}`;
}

function elements(boxes: readonly Box[], arrows: readonly Arrow[], shape: number): cytoscape.ElementDefinition[] {
  const sized = boxes.map((b) => {
    const lines = b.lines.map(short);
    return { ...b, text: lines.join("\n"), width: Math.max(...lines.map((l) => l.length), 4) * letter + 18 };
  });
  const at = layOut(sized, arrows, shape || undefined);
  const known = new Set(boxes.map((b) => b.id));
  return [
    ...sized.map((b): cytoscape.ElementDefinition => ({
      group: "nodes",
      data: { id: b.id, text: b.text, width: b.width },
      classes: b.look,
      position: at.get(b.id) ?? { x: 0, y: 0 },
      grabbable: true,
    })),
    ...arrows
      .filter((a) => known.has(a.from) && known.has(a.to))
      .map((a, i): cytoscape.ElementDefinition => ({ group: "edges", data: { id: `\n${i}`, source: a.from, target: a.to, ...(a.label ? { label: a.label } : {}) }, classes: a.look })),
  ];
}

/** The zoom and the place from which all boxes are seen. The library would measure every line for it. */
function view(all: readonly cytoscape.ElementDefinition[], width: number, height: number): { zoom: number; pan: { x: number; y: number } } {
  let [left, right, top, bottom] = [0, 0, 0, 0];
  for (const { position, data } of all) {
    if (!position) continue;
    const half = Number(data["width"]) / 2;
    [left, right] = [Math.min(left, position.x - half), Math.max(right, position.x + half)];
    [top, bottom] = [Math.min(top, position.y - high / 2), Math.max(bottom, position.y + high / 2)];
  }
  const zoom = Math.max(Math.min((width - 2 * margin) / (right - left), (height - 2 * margin) / (bottom - top), 1.2), 0.05);
  return { zoom, pan: { x: width / 2 - (zoom * (left + right)) / 2, y: height / 2 - (zoom * (top + bottom)) / 2 } };
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Gives the looks, in the colours of the page. */
function style(): cytoscape.StylesheetJson {
  const [text, muted, raised, sunken, accent, accentGround, error] = ["--text", "--muted", "--raised", "--sunken", "--accent", "--accent-ground", "--error"].map(colour);
  return [
    {
      selector: "node",
      style: {
        shape: "round-rectangle", width: "data(width)", height: high, label: "data(text)", "text-wrap": "wrap", "text-valign": "center", "text-halign": "center",
        "font-family": "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace", "font-size": 11, color: text, "line-height": 1.35,
        "background-color": raised, "border-width": 1, "border-color": muted, "min-zoomed-font-size": 4,
      },
    },
    { selector: "node.target", style: { "background-color": accentGround, "border-color": accent, "border-width": 3 } },
    { selector: "node.test", style: { "background-color": sunken, "border-style": "dashed" } },
    { selector: "node.many", style: { "border-style": "double", "border-width": 4 } },
    { selector: "node.alert", style: { "border-color": error, "border-width": 2 } },
    { selector: "node.chosen", style: { "outline-width": 3, "outline-color": accent, "outline-offset": 2 } },
    {
      selector: "edge",
      style: {
        width: 1.3, "line-color": muted, "target-arrow-color": muted, "target-arrow-shape": "triangle", "arrow-scale": 0.9, "curve-style": "bezier",
        "font-size": 9, color: muted, "text-background-color": colour("--ground"), "text-background-opacity": 1, "min-zoomed-font-size": 6,
      },
    },
    { selector: "edge[label]", style: { label: "data(label)" } },
    { selector: "edge.scoped", style: { "line-style": "dashed" } },
    { selector: "edge.ambiguous", style: { "line-style": "dotted" } },
    { selector: "edge.path", style: { width: 3, "line-color": accent, "target-arrow-color": accent } },
    { selector: "edge.alert", style: { width: 2, "line-color": error, "target-arrow-color": error } },
  ] as cytoscape.StylesheetJson;
}
