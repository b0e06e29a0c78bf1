// Measures the page in Chromium on a large tree, and prints the figures that docs/page.md has:
//
//	npm --prefix web run measure [-- FOLDER or URL of a server]        by default Go's own sources
//
// First paint, search as one types from the key to the pixels, the processor time that a key
// costs, and the memory of the tab after 100 journeys through the views. Of a folder, the
// server is bin/quarry, with an index of its own.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { serve } from "./journeys/server.mjs";

const about = process.argv[2] ?? join(spawnSync("go", ["env", "GOROOT"], { encoding: "utf8" }).stdout.trim(), "src");
const queries = ["http server timeout", "parse certificate", "gob encoder", "who closes idle connections", "binary search", "ReadAll", "sync once", "escape analysis"];

const quantile = (values, q) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))];
const ms = (n) => `${n.toFixed(1)} ms`;
const say = (name, values) => console.log(`${name}: p50 ${ms(quantile(values, 0.5))}, p95 ${ms(quantile(values, 0.95))}, most ${ms(Math.max(...values))} (${values.length})`);

const server = about.startsWith("http") ? { url: about, stop: () => {} } : await serve(about);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--enable-precise-memory-info", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
});
try {
  const status = await (await fetch(`${server.url}/status?skipped=0`)).json();
  console.log(`${status.index.files} files of ${status.root}, ${Math.floor((status.index.refined ?? 1) * 100)} % of the vectors refined`);

  // Of a tab that has nothing of the page in its cache.
  const paints = [];
  for (let i = 0; i < 10; i++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${server.url}/-/search`);
    await page.getByRole("searchbox").waitFor();
    paints.push(await page.evaluate(() => new Promise((done) => new PerformanceObserver((list) => {
      const paint = list.getEntriesByName("first-contentful-paint")[0];
      if (paint) done(paint.startTime);
    }).observe({ type: "paint", buffered: true }))));
    await context.close();
  }
  say("first paint", paints);

  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(`${server.url}/-/search`);
  await page.getByRole("searchbox").waitFor();
  // A key is answered when the results that are shown are those of what the field has: the view
  // says for which query they are. The frame after that has the pixels.
  await page.evaluate(() => {
    globalThis.keys = [];
    const field = document.querySelector("#query");
    let at = 0;
    field.addEventListener("keydown", () => (at = performance.now()), { capture: true });
    const look = () => {
      const shown = document.querySelector("[data-query]")?.getAttribute("data-query");
      if (at > 0 && shown === field.value) {
        const began = at;
        at = 0;
        requestAnimationFrame(() => {
          const channel = new MessageChannel(); // its message comes after the frame was painted
          channel.port1.onmessage = () => globalThis.keys.push(performance.now() - began);
          channel.port2.postMessage(0);
        });
      }
    };
    new MutationObserver(look).observe(document.querySelector("#app"), { subtree: true, childList: true, attributes: true, characterData: true });
  });
  const cdp = await browser.newBrowserCDPSession();
  const infos = async () => (await cdp.send("SystemInfo.getProcessInfo")).processInfo;
  /** Seconds of processor time that were used so far. */
  const processor = async () => {
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    const sum = { renderer: 0, browser: 0, server: Number(/^process_cpu_seconds_total (\S+)/m.exec(metrics)?.[1]) };
    for (const p of await infos()) sum[p.type === "renderer" ? "renderer" : "browser"] += p.cpuTime;
    return sum;
  };
  const type = async (query, pause) => {
    for (const letter of query) {
      await page.keyboard.press(letter === " " ? "Space" : letter);
      await page.waitForTimeout(pause);
    }
    await page.waitForTimeout(400);
  };
  await type("warm", 300);
  for (const [name, pause] of [["a key, as people type (120 ms between two)", 120], ["a key, one at a time (400 ms)", 400]]) {
    await page.evaluate(() => (globalThis.keys.length = 0));
    let pressed = 0;
    const before = await processor();
    for (const query of queries) {
      await page.getByRole("searchbox").fill("");
      await page.waitForTimeout(200);
      await type(query, pause);
      pressed += query.length;
    }
    const keys = await page.evaluate(() => globalThis.keys);
    say(name, keys);
    const after = await processor();
    const each = (type) => ms(((after[type] - before[type]) / pressed) * 1000);
    console.log(`  processor time a key: ${each("renderer")} of the tab, ${each("browser")} of the browser, ${each("server")} of the server`);
    console.log(`  ${keys.length} of ${pressed} keys had their own results before the next key`);
  }

  await page.goto(`${server.url}/-/search`);
  for (let i = 0; i < 100; i++) {
    await page.getByRole("navigation").getByRole("link", { name: "Search", exact: true }).click();
    await page.getByRole("searchbox").fill(`${queries[i % queries.length]} ${i}`);
    await page.locator("[data-item]").first().waitFor();
    await page.getByRole("link", { name: "Status", exact: true }).click();
    await page.getByText(/files indexed/).waitFor();
    await page.goBack();
    await page.locator("[data-item]").first().waitFor();
  }
  const session = await context.newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize, totalSize } = await session.send("Runtime.getHeapUsage");
  const { nodes } = await session.send("Memory.getDOMCounters");
  const sizes = (await infos()).filter((p) => p.type === "renderer").map((p) => /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${p.id}/smaps_rollup`, "utf8"))?.[1] ?? 0);
  const mib = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  console.log(`after 100 journeys in one tab: its process has ${mib(Math.max(...sizes.map(Number)) * 1024)} (Pss), ${mib(usedSize)} of script in use (${mib(totalSize)} held), ${nodes} nodes`);
} finally {
  await browser.close();
  await server.stop();
}
