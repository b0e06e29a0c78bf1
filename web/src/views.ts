import type { ComponentType } from "preact";
import type { Place } from "./router.js";

/** What a view is given: where the page is, and the project that it is about ("": the first one). */
export interface ViewProps {
  place: Place;
  project: string;
}

/** A view is shown at /-/NAME, and loaded when it is gone to for the first time. */
export interface View {
  name: string;
  title: string;
  /** It stands in the navigation; others are reached by links. */
  nav: boolean;
  load: () => Promise<{ default: ComponentType<ViewProps> }>;
}

/** The views, in the order of the navigation. The default export of views/NAME.tsx is the component. */
export const views: readonly View[] = [
  { name: "search", title: "Search", nav: true, load: () => import("./views/search.js") },
  { name: "code", title: "Code", nav: true, load: () => import("./views/code.js") },
  { name: "graph", title: "Graph", nav: true, load: () => import("./views/graph.js") },
  { name: "impact", title: "What breaks", nav: true, load: () => import("./views/impact.js") },
  { name: "map", title: "Map", nav: true, load: () => import("./views/map.js") },
  { name: "analyses", title: "Analyses", nav: true, load: () => import("./views/analyses.js") },
  { name: "cfg", title: "Control flow", nav: false, load: () => import("./views/cfg.js") },
  { name: "status", title: "Status", nav: true, load: () => import("./views/status.js") },
];
