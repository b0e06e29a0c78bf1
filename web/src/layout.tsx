import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get, sentence, useAsk, useConnection } from "./api.js";
import { Connection } from "./parts/connection.js";
import { Notice } from "./parts/notice.js";
import { allProjects, go, href, type Params, type Place, usePlace } from "./router.js";
import { type View, type ViewProps, views } from "./views.js";

/** All of the page: what stands on every view, and the view. */
export function Layout() {
  const place = usePlace();
  const view = views.find((v) => v.name === place.view);
  const project = place.query.get("project") ?? "";
  useEffect(() => {
    document.title = view ? `${view.title} - Quarry` : "Quarry";
  }, [view]);
  return (
    <>
      <a class="skip" href="#content">
        To the content
      </a>
      <header class="head">
        <a class="brand" href={href("search")}>
          Quarry
        </a>
        <nav aria-label="Views">
          {views
            .filter((v) => v.nav)
            .map((v) => (
              <a key={v.name} href={href(v.name)} aria-current={v === view ? "page" : undefined}>
                {v.title}
              </a>
            ))}
        </nav>
        <Projects place={place} selected={project} />
      </header>
      <Connection />
      <main id="content" tabIndex={-1}>
        {view ? <Loaded key={view.name} view={view} place={place} project={project} /> : <Missing place={place} />}
      </main>
    </>
  );
}

/** Shows a view once it is loaded; a part that could not be loaded is tried again when the server is back. */
function Loaded({ view, ...props }: ViewProps & { view: View }) {
  const [component, set] = useState<{ view?: ComponentType<ViewProps>; failed?: boolean }>({});
  const connection = useConnection();
  useEffect(() => {
    if (component.view) return;
    let gone = false;
    view.load().then(
      (m) => gone || set({ view: m.default }),
      () => gone || set({ failed: true }),
    );
    return () => void (gone = true);
  }, [connection]);
  if (component.view) return <component.view {...props} />;
  if (!component.failed) return null;
  return (
    <Notice kind="error">
      This view could not be loaded: the server is away, or is of another version than this page.{" "}
      <a href={location.href} target="_self">
        Load the page again
      </a>
    </Notice>
  );
}

/** What is shown at an address without a view. */
function Missing({ place }: { place: Place }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [place]);
  return (
    <section>
      <h1 ref={heading} tabIndex={-1}>
        There is nothing at this address.
      </h1>
      <p>
        <a href={href("search")}>Search the code</a>
      </p>
    </section>
  );
}

/** What another project is asked, too: what is searched for, but no symbol or file, which it may not have. */
function asked(place: Place): Params {
  if (place.view !== "search") return {};
  return Object.fromEntries([...place.query.keys()].map((name) => [name, place.query.getAll(name)]));
}

/** Lets one choose the project that the views are about, where there are several. */
function Projects({ place, selected }: { place: Place; selected: string }) {
  const { answer, error } = useAsk("projects", (signal) => get("/projects", {}, signal));
  const projects = answer?.projects ?? [];
  if (error) return <Notice kind="error">{sentence(error)}</Notice>;
  if (projects.length < 2 && selected === "") return null;
  const known = selected === allProjects || projects.some((p) => p.name === selected || p.root === selected);
  return (
    <label class="projects">
      Project
      <select
        value={selected || projects[0]?.name}
        onChange={(e) => go(href(place.view, "", { ...asked(place), project: e.currentTarget.value }))}
      >
        {place.view === "search" && projects.length > 1 && <option value={allProjects}>all of them</option>}
        {!known && selected !== "" && <option value={selected}>{selected} (not served)</option>}
        {projects.map((p) => (
          <option key={p.root} value={p.name}>
            {p.name}
          </option>
        ))}
      </select>
    </label>
  );
}
