/** A part of the plane. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Fills a rectangle with one for each size, in their order, so that areas are as sizes and none is
 * needlessly thin. Sizes must come largest first; what has none gets a rectangle without area.
 * Bruls, Huizing, van Wijk: Squarified treemaps (2000).
 */
export function squarify(sizes: readonly number[], within: Rectangle): Rectangle[] {
  const total = sizes.reduce((sum, s) => sum + Math.max(s, 0), 0);
  if (total <= 0 || within.width <= 0 || within.height <= 0) return sizes.map(() => ({ x: within.x, y: within.y, width: 0, height: 0 }));
  const scale = (within.width * within.height) / total;
  const areas = sizes.map((s) => Math.max(s, 0) * scale);
  const out: Rectangle[] = [];
  let rest = within;
  for (let from = 0; from < areas.length; ) {
    const side = Math.min(rest.width, rest.height);
    let to = from + 1;
    let sum = areas[from] ?? 0;
    while (to < areas.length && worst(areas, from, to + 1, sum + (areas[to] ?? 0), side) <= worst(areas, from, to, sum, side)) {
      sum += areas[to] ?? 0;
      to++;
    }
    rest = lay(areas.slice(from, to), sum, rest, out);
    from = to;
  }
  return out;
}

/** The greatest ratio of sides that rectangles of some areas have in a strip along a side. */
function worst(areas: readonly number[], from: number, to: number, sum: number, side: number): number {
  if (sum <= 0 || side <= 0) return 0;
  const largest = areas[from] ?? 0;
  const smallest = areas[to - 1] ?? 0;
  if (smallest <= 0) return largest <= 0 ? 0 : Infinity;
  return Math.max((side * side * largest) / (sum * sum), (sum * sum) / (side * side * smallest));
}

/** Lays a strip along the shorter side of what is left, and returns what is left then. */
function lay(areas: readonly number[], sum: number, rest: Rectangle, out: Rectangle[]): Rectangle {
  const upright = rest.width >= rest.height;
  const side = upright ? rest.height : rest.width;
  const thick = side > 0 ? sum / side : 0;
  let at = 0;
  for (const area of areas) {
    const long = thick > 0 ? area / thick : 0;
    out.push(upright ? { x: rest.x, y: rest.y + at, width: thick, height: long } : { x: rest.x + at, y: rest.y, width: long, height: thick });
    at += long;
  }
  return upright
    ? { ...rest, x: rest.x + thick, width: Math.max(rest.width - thick, 0) }
    : { ...rest, y: rest.y + thick, height: Math.max(rest.height - thick, 0) };
}
