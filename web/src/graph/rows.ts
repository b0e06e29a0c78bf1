import { groupBy } from "../parts/group.js";

/** What is laid out: a box, and the row that it belongs to, from top to bottom. */
export interface Placed {
  id: string;
  row: number;
  width: number;
}

/** The middle of a box. */
export interface Point {
  x: number;
  y: number;
}

/** The height of a box. */
export const high = 44;
const gapX = 18;
const gapY = 22; // between the lines of one row
const gapRows = 72; // between rows; less where there are many
const rounds = 4;

/**
 * Lays out boxes in rows, each box near those that it is connected to. A row that is wider than the
 * picture should be is broken into lines; `shape` is its width to its height. It takes some milliseconds for 300 boxes, where
 * force-directed layouts take some hundred, and gives the same for the same graph.
 */
export function layOut(boxes: readonly Placed[], lines: readonly { from: string; to: string }[], shape = 2): Map<string, Point> {
  const near = new Map<string, string[]>(boxes.map((b) => [b.id, []]));
  for (const { from, to } of lines) {
    if (from === to) continue;
    near.get(from)?.push(to);
    near.get(to)?.push(from);
  }
  const rows = [...groupBy(boxes, (b) => b.row)].sort(([a], [b]) => a - b).map(([, row]) => row);
  const place = new Map<string, number>(); // from left to right, 0 to 1
  const number = (row: readonly Placed[]) => row.forEach((b, i) => place.set(b.id, (i + 0.5) / row.length));
  rows.forEach(number);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? rows.keys() : [...rows.keys()].reverse();
    for (const i of order) {
      const row = rows[i];
      if (!row) continue;
      const wanted = new Map(row.map((b) => [b.id, middle(near.get(b.id) ?? [], place) ?? place.get(b.id) ?? 0]));
      rows[i] = row.toSorted((a, b) => (wanted.get(a.id) ?? 0) - (wanted.get(b.id) ?? 0));
      number(rows[i]);
    }
  }
  return put(rows, shape);
}

/** The mean of the places of some boxes. */
function middle(ids: readonly string[], place: ReadonlyMap<string, number>): number | undefined {
  if (ids.length === 0) return undefined;
  return ids.reduce((sum, id) => sum + (place.get(id) ?? 0), 0) / ids.length;
}

/** Gives rows their places, one below the other, each in the middle. */
function put(rows: readonly (readonly Placed[])[], shape: number): Map<string, Point> {
  const between = Math.max(gapRows - 3 * Math.max(rows.length - 4, 0), gapY + 8);
  const area = rows.flat().reduce((sum, b) => sum + (b.width + gapX) * (high + gapY), 0);
  // The height is that of the lines and of what is between rows: h = area / w + n * between, and w = shape * h.
  const apart = (rows.length * between) / 2;
  const widest = Math.max(shape * (apart + Math.sqrt(apart * apart + area / shape)), 300);
  const at = new Map<string, Point>();
  let y = 0;
  for (const row of rows) {
    for (const line of broken(row, widest)) {
      let x = -line.reduce((sum, b) => sum + b.width + gapX, -gapX) / 2;
      for (const b of line) {
        at.set(b.id, { x: x + b.width / 2, y });
        x += b.width + gapX;
      }
      y += high + gapY;
    }
    y += between - gapY;
  }
  return at;
}

/** Breaks a row into lines of about the same width, so that a box stays below those that it is near to. */
function broken(row: readonly Placed[], widest: number): Placed[][] {
  const total = row.reduce((sum, b) => sum + b.width + gapX, 0);
  const n = Math.max(Math.ceil(total / widest), 1);
  const lines: Placed[][] = Array.from({ length: n }, () => []);
  row.forEach((b, i) => lines[i % n]?.push(b));
  return lines.filter((line) => line.length > 0);
}
