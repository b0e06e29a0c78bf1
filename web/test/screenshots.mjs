// Takes the pictures of docs/page.md and the README: npm --prefix web run screenshots
//
// The repository shown is this one, from a copy of what git tracks, so that no path of the machine
// is in a picture.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { serve } from "./journeys/server.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const top = join(here, "../..");
const most = 150_000; // bytes of a picture

/** What is shown, how, and what is waited for. */
const pictures = [
  { name: "page-search", address: "/-/search?q=who+may+send+requests+from+a+web+page&path=api", wait: "[data-item]", size: [1100, 700], colorScheme: "light" },
  { name: "page-status-dark", address: "/-/status", wait: ".plot polyline", pause: 9000, size: [1100, 700], colorScheme: "dark" },
  { name: "page-search-small", address: "/-/search?q=retry+after+a+failure&path=client", wait: "[data-item]", size: [400, 700], colorScheme: "dark" },
];

const folder = mkdtempSync(join(tmpdir(), "quarry-pictures-"));
const root = join(folder, "quarry");
mkdirSync(root);
execFileSync("sh", ["-c", 'git archive HEAD | tar -x -C "$1"', "sh", root], { cwd: top });
const server = await serve(root);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });
try {
  for (const p of pictures) {
    const [width, height] = p.size;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: p.colorScheme });
    const page = await context.newPage();
    // The folder of the copy has a name by chance.
    await page.route("**/status*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll(folder, "/home/me") });
    });
    await page.goto(server.url + p.address);
    await page.locator(p.wait).first().waitFor();
    await page.waitForTimeout(p.pause ?? 500);
    const path = join(top, "docs", `${p.name}.png`);
    await page.screenshot({ path });
    await context.close();
    const { size } = statSync(path);
    console.log(`${path}: ${size} bytes`);
    if (size > most) throw new Error(`more than ${most} bytes`);
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
