// Makes the bundle that the server embeds:
//
//	node build.mjs            writes dist/
//	node build.mjs --check    fails where dist/ is not what the sources give
//
// The bundler is the Go module evanw/esbuild, of the version that tools.mod names. Files have
// fixed names, so that a change of the sources is a small change of dist/.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = dirname(fileURLToPath(import.meta.url));
const most = 450_000; // bytes of all files together, each gzipped

/** Lists the files below a folder, sorted, relative to it. */
function files(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
}

/** Writes the bundle to a folder, which must not hold anything. */
function build(out) {
  const meta = join(out, "meta.json");
  const views = files(join(here, "src/views")).filter((name) => /^[a-z]+\.tsx$/.test(name));
  const entries = ["src/app.tsx", "src/style/app.css", ...views.map((name) => `src/views/${name}`)];
  const options = [
    "--bundle", "--splitting", "--format=esm", "--target=es2022", "--minify", "--charset=utf8", "--log-level=warning",
    "--jsx=automatic", "--jsx-import-source=preact", "--outbase=src", "--chunk-names=[name]-[hash]", "--legal-comments=none",
    `--outdir=${relative(here, join(out, "assets"))}`, `--metafile=${meta}`,
  ];
  const ran = spawnSync(process.env.GO ?? "go", ["tool", "-modfile=../tools.mod", "esbuild", ...entries, ...options], { cwd: here, stdio: "inherit" });
  if (ran.status !== 0) process.exit(ran.status ?? 1);
  const { inputs: read, outputs } = JSON.parse(readFileSync(meta, "utf8"));
  const inputs = Object.keys(read).sort();
  rmSync(meta);
  writeFileSync(join(out, "index.html"), readFileSync(join(here, "src/index.html"), "utf8").replace("<!-- preloads -->\n", preloads(outputs)));
  cpSync(join(here, "src/icon.svg"), join(out, "assets/icon.svg"));
  writeFileSync(join(out, "assets/licences.txt"), licences(inputs));
  writeFileSync(join(out, "sources.txt"), sources(inputs));
}

/** Names what the first view consists of, so that the browser loads it all at once and not one after the other. */
function preloads(outputs) {
  const at = (name) => Object.keys(outputs).find((o) => o.endsWith(`/assets/${name}`));
  const all = new Set();
  const add = (name) => {
    if (all.has(name)) return;
    all.add(name);
    for (const i of outputs[name].imports) if (i.kind === "import-statement") add(i.path);
  };
  add(at("app.js"));
  add(at("views/search.js"));
  all.delete(at("app.js"));
  return [...all].map((name) => `<link rel="modulepreload" href="/-/assets/BUILD/${name.split("/assets/")[1]}">\n`).sort().join("");
}

/** Gives the licences of the packages that the bundle contains something of. */
function licences(inputs) {
  const packages = new Set(inputs.map((name) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(name)?.[1]).filter(Boolean));
  let text = "The page of Quarry contains these packages.\n";
  for (const name of [...packages].sort()) {
    const folder = join(here, "node_modules", name);
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((f) => /^licen[cs]e/i.test(f));
    if (!file) throw new Error(`${name} has no licence`);
    text += `\n== ${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  }
  return text;
}

/** Names the sources of ours with their hashes: page_test.go compares them without a bundler. */
function sources(inputs) {
  const others = inputs.filter((name) => name.startsWith("../"));
  const all = [...others, ...files(join(here, "src")).map((name) => `src/${name}`), "build.mjs", "package-lock.json"].sort();
  return all.map((name) => `${createHash("sha256").update(readFileSync(join(here, name))).digest("hex")}  ${name}\n`).join("");
}

/** Prints what the files weigh, and fails where it is too much. */
function weigh(folder) {
  let total = 0;
  for (const name of files(folder)) {
    if (name === "sources.txt" || name === "assets/licences.txt") continue; // no page loads them
    const bytes = gzipSync(readFileSync(join(folder, name)), { level: 9 }).length;
    total += bytes;
    console.log(`${String(bytes).padStart(8)}  ${name}`);
  }
  console.log(`${String(total).padStart(8)}  bytes gzipped, of at most ${most}`);
  if (total > most) {
    console.error("build.mjs: the bundle is too large");
    process.exit(1);
  }
}

const dist = join(here, "dist");
if (process.argv.includes("--check")) {
  const out = mkdtempSync(join(tmpdir(), "quarry-page-"));
  process.on("exit", () => rmSync(out, { recursive: true, force: true }));
  build(out);
  const differing = [...new Set([...files(out), ...files(dist)])].filter(
    (name) => !existsSync(join(out, name)) || !existsSync(join(dist, name)) || !readFileSync(join(out, name)).equals(readFileSync(join(dist, name))),
  );
  if (differing.length > 0) {
    console.error(`build.mjs: web/dist is not what the sources give; make web. Differing: ${differing.join(", ")}`);
    process.exit(1);
  }
} else {
  rmSync(dist, { recursive: true, force: true });
  build(dist);
}
weigh(dist);
