/**
 * The address bar is the state of the page: views read it, and change it by going somewhere.
 * Every address is `/-/VIEW/REST?query#hash`; the parameter `project` stays from one to the next.
 *
 * @module
 */
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

/** Where the page is. */
export interface Place {
  /** The view's name: what stands first in the path. */
  view: string;
  /** What follows it, decoded, without a slash in front; "" where nothing does. */
  rest: string;
  query: URLSearchParams;
  /** Without #, decoded. */
  hash: string;
  /** Of this entry of the history; another one where the same address is gone to again. */
  key: string;
}

/** Parameters of an address; what is undefined, false or "" is left out, a list is given several times. */
export type Params = Record<string, string | number | boolean | readonly string[] | undefined>;

const prefix = "/-/";

/** Reads an address; undefined where it is none of the page's. */
export function parse(url: URL, key = ""): Place | undefined {
  if (!url.pathname.startsWith(prefix)) return undefined;
  const [view = "", ...rest] = url.pathname.slice(prefix.length).split("/");
  return { view: decode(view), rest: rest.map(decode).join("/"), query: url.searchParams, hash: decode(url.hash.slice(1)), key };
}

/** Writes an address. `rest` is a path whose parts are encoded, `hash` comes without #. */
export function format(view: string, rest: string, params: Params, hash = ""): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (Array.isArray(value)) value.forEach((v: string) => query.append(name, v));
    else if (value !== undefined && value !== false && value !== "") query.set(name, String(value));
  }
  const path = rest === "" ? "" : "/" + rest.split("/").map(encodeURIComponent).join("/");
  return prefix + view + path + (query.size > 0 ? `?${query}` : "") + (hash ? `#${encodeURIComponent(hash)}` : "");
}

/** In place of a project: all of them, which the search alone can be about. */
export const allProjects = "*";

/** The address of a view of the project that is shown now. */
export function href(view: string, rest = "", params: Params = {}, hash = ""): string {
  const project = here().query.get("project") ?? "";
  return format(view, rest, { project: project === allProjects && view !== "search" ? "" : project, ...params }, hash);
}

/** What cannot be decoded stays as it is: it is text somebody wrote into the address bar. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const listeners = new Set<() => void>();
let current: Place | undefined;

/** The address of this entry of the history that the browser has not been told yet. */
let untold: string | undefined;
let telling = 0;

const quiet = 200; // milliseconds without another address, after which the browser is told

/** The address of the page now. */
function address(): string {
  return untold ?? location.pathname + location.search + location.hash;
}

/** Has the browser show the address of the page. */
function tellBrowser(): void {
  clearTimeout(telling);
  if (untold !== undefined) history.replaceState(history.state, "", untold);
  untold = undefined;
}

/** Where the page is now. */
export function here(): Place {
  current ??= parse(new URL(address(), location.href), entry().key) ?? { view: "", rest: "", query: new URLSearchParams(), hash: "", key: "" };
  return current;
}

/** What the page keeps in an entry of the history. */
function entry(): { key: string } {
  const state: unknown = history.state;
  if (state !== null && typeof state === "object" && "key" in state && typeof state.key === "string") return { key: state.key };
  const made = { key: crypto.randomUUID?.() ?? String(Math.random()) };
  history.replaceState(made, "");
  return made;
}

/** The entry of the history that is not shown yet: where it is scrolled to is not known before. */
let arriving = "";

function changed(): void {
  const before = current?.key;
  current = undefined;
  if (here().key !== before) arriving = here().key;
  for (const tell of listeners) tell();
}

/**
 * Goes to an address: with `replace` in place of the one that is shown; with `typing`, which is
 * for a field that is being filled in, too, and the browser is told of it once no other one
 * follows: it takes the browser as long as to show a part of the results.
 */
export function go(to: string, o: { replace?: boolean; typing?: boolean } = {}): void {
  if (to === address()) return;
  if (o.replace || o.typing) {
    untold = to;
    clearTimeout(telling);
    if (o.typing) telling = window.setTimeout(tellBrowser, quiet);
    else tellBrowser();
  } else {
    tellBrowser();
    rememberScroll();
    history.pushState(null, "", to);
  }
  changed();
}

/** The place of the page, again whenever it changes. */
export function usePlace(): Place {
  const [place, set] = useState(here);
  useEffect(() => {
    const tell = () => set(here());
    listeners.add(tell);
    tell();
    return () => void listeners.delete(tell);
  }, []);
  return place;
}

/** Has the page follow the history and the links in it. Call it once. */
export function start(): void {
  history.scrollRestoration = "manual"; // the browser would do it before the answer is there
  arriving = here().key;
  addEventListener("popstate", () => {
    clearTimeout(telling);
    untold = undefined; // it was that of the entry which was left
    changed();
  });
  addEventListener("pagehide", () => {
    tellBrowser();
    rememberScroll();
  });
  document.addEventListener("scroll", rememberScrollSoon, { passive: true });
  document.addEventListener("click", follow);
}

/** Goes to what a link of the page leads to, unless it is to be opened elsewhere. */
function follow(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  tellBrowser();
  const inPage = url.pathname === location.pathname && url.search === location.search && link.getAttribute("href")?.startsWith("#");
  if (url.origin !== location.origin || !url.pathname.startsWith(prefix) || inPage) return;
  event.preventDefault();
  go(url.pathname + url.search + url.hash);
}

const scrolls = "quarry-scroll:";
let soon = 0;

function rememberScroll(): void {
  clearTimeout(soon);
  soon = 0;
  if (entry().key === arriving) return;
  try {
    sessionStorage.setItem(scrolls + entry().key, String(Math.round(scrollY)));
  } catch {
    // Full, or forbidden by the browser: then the page does not come back to where it was.
  }
}

function rememberScrollSoon(): void {
  if (soon === 0) soon = window.setTimeout(rememberScroll, 100);
}

/**
 * Scrolls to where this entry of the history was left, or to the top, once what is shown is
 * there. A view calls it, with `ready` false as long as it waits for its answer; `fresh` is for
 * one that knows better where to begin than at the top.
 */
export function useScroll(place: Place, ready: boolean, fresh = () => scrollTo(0, 0)): void {
  const key = here().key || place.key;
  useLayoutEffect(() => {
    if (!ready) return;
    arriving = "";
    const kept = sessionStorage.getItem(scrolls + key);
    if (kept === null) fresh();
    else scrollTo(0, Number(kept));
  }, [key, ready]);
}
