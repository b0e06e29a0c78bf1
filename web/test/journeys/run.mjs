// Drives the page in Chromium, against a server of a small repository:
//
//	node test/journeys/run.mjs [--within FOLDER] [PART OF A NAME]...
//
// With --within it is within a copy of another one, such as Go's own sources: the journeys find their way there, too.
//
// Every file NAME.journeys.mjs here exports a table `journeys` of functions by what they show, and may
// export `files` that the repository has for them. Each is
// given a fresh tab (see Journey in tab.mjs), and fails by an exception, twice. It fails, too, when the
// page writes an error to the console, throws one, or asks another host for anything.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { repository } from "./repository.mjs";
import { serve } from "./server.mjs";
import { tab } from "./tab.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: { within }, positionals: wanted } = parseArgs({ options: { within: { type: "string" } }, allowPositionals: true });
const table = [];
const more = {}; // files of the repository that some journeys need
for (const file of readdirSync(here).filter((f) => f.endsWith(".journeys.mjs")).sort()) {
  const { journeys, files = {} } = await import(join(here, file));
  Object.assign(more, files);
  for (const [name, journey] of Object.entries(journeys)) table.push({ name: `${file.split(".")[0]}: ${name}`, journey });
}
const chosen = table.filter((j) => wanted.length === 0 || wanted.some((w) => j.name.includes(w)));

const root = repository(more, within);
const server = await serve(root.path);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});

/** Goes on a journey in a fresh tab, and returns what is wrong; nothing is: an empty list. */
async function go(journey) {
  const t = await tab(browser, server, root.path);
  try {
    await journey(t);
    return t.complaints();
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error), ...t.complaints()];
  } finally {
    await t.close();
  }
}

let failed = 0;
try {
  for (const { name, journey } of chosen) {
    // A journey looks at pictures that are drawn a frame after what it waits for, and a machine may be so
    // busy that it looks too early: what is wrong with the page is wrong twice.
    for (const last of [false, true]) {
      const began = performance.now();
      const problems = await go(journey);
      const verdict = problems.length === 0 ? "ok  " : last ? "FAIL" : "once";
      console.log([`${verdict} ${name} (${Math.round(performance.now() - began)} ms)`, ...problems].join("\n").replaceAll("\n", "\n     "));
      if (problems.length === 0) break;
      if (last) failed++;
    }
  }
} finally {
  await browser.close();
  await server.stop();
  root.remove();
}
console.log(`${chosen.length} journeys, ${failed} failed`);
process.exitCode = failed > 0 || chosen.length === 0 ? 1 : 0;
