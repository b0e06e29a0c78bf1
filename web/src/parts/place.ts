import { href } from "../router.js";
import { views } from "../views.js";

/** The address that shows lines of a file; undefined as long as no view shows files. */
export function codeAddress(file: string, line?: number, end?: number, project?: string): string | undefined {
  if (!views.some((v) => v.name === "code")) return undefined;
  const hash = line === undefined ? "" : end !== undefined && end > line ? `L${line}-${end}` : `L${line}`;
  return href("code", file, project ? { project } : {}, hash);
}
