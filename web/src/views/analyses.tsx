import { Dead } from "../analyses/dead.js";
import { Findings } from "../analyses/findings.js";
import { Layers } from "../analyses/layers.js";
import { href } from "../router.js";
import type { ViewProps } from "../views.js";

const kinds = { dead: "Dead code", findings: "Findings", layers: "Layers and cycles" } as const;

/** What the analyses of a project find, as lists to be worked through. */
export default function AnalysesView(props: ViewProps) {
  const kind = props.place.rest in kinds ? (props.place.rest as keyof typeof kinds) : "dead";
  return (
    <>
      <h1>{kinds[kind]}</h1>
      <nav aria-label="Analyses" class="chips">
        {Object.entries(kinds).map(([name, title]) => (
          <a key={name} class={name === kind ? "chip on" : "chip"} href={href("analyses", name)} aria-current={name === kind ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {kind === "dead" && <Dead {...props} />}
      {kind === "findings" && <Findings {...props} />}
      {kind === "layers" && <Layers {...props} />}
    </>
  );
}
