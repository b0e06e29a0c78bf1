// Drives the page in Chromium, against a server of a small repository:
//
//	node test/journeys/run.mjs [PART OF A NAME]...
//
// Every file NAME.journeys.mjs here exports a table `journeys` of functions by what they show, and may
// export `files` that the repository has for them. Each is
// given a fresh tab (see Journey in tab.mjs), and fails by an exception. It fails, too, when the
// page writes an error to the console, throws one, or asks another host for anything.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { repository } from "./repository.mjs";
import { serve } from "./server.mjs";
import { tab } from "./tab.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const table = [];
const more = {}; // files of the repository that some journeys need
for (const file of readdirSync(here).filter((f) => f.endsWith(".journeys.mjs")).sort()) {
  const { journeys, files = {} } = await import(join(here, file));
  Object.assign(more, files);
  for (const [name, journey] of Object.entries(journeys)) table.push({ name: `${file.split(".")[0]}: ${name}`, journey });
}
const chosen = table.filter((j) => wanted.length === 0 || wanted.some((w) => j.name.includes(w)));

const root = repository(more);
const server = await serve(root.path);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
let failed = 0;
try {
  for (const { name, journey } of chosen) {
    const began = performance.now();
    const t = await tab(browser, server, root.path);
    let problem;
    try {
      await journey(t);
      problem = t.complaints();
    } catch (error) {
      problem = [error instanceof Error ? (error.stack ?? error.message) : String(error), ...t.complaints()];
    }
    await t.close();
    const took = Math.round(performance.now() - began);
    if (problem.length > 0) failed++;
    console.log(`${problem.length > 0 ? "FAIL" : "ok  "} ${name} (${took} ms)${problem.map((p) => `\n     ${p.replaceAll("\n", "\n     ")}`).join("")}`);
  }
} finally {
  await browser.close();
  await server.stop();
  root.remove();
}
console.log(`${chosen.length} journeys, ${failed} failed`);
process.exitCode = failed > 0 || chosen.length === 0 ? 1 : 0;
