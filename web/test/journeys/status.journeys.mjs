import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./repository.mjs";
import { serve } from "./server.mjs";
import { check } from "./tab.mjs";

export const journeys = {
  "the status says what is indexed": async ({ page, open }) => {
    await open("/-/search");
    await page.getByRole("link", { name: "Status", exact: true }).click();
    await page.getByRole("heading", { name: "Status", exact: true }).waitFor();
    await page.getByText(/[\d,]+ files indexed, [\d,]+ left out/).waitFor();
    await page.getByText("The index is complete, and is what the files are.").waitFor();
    const licences = await page.getByRole("link", { name: "Licences" }).getAttribute("href");
    check((await (await fetch(licences)).text()).includes("== preact "), "the licences are not there");
    check((await page.getByLabel("go", { exact: true }).count()) === 1, "the languages are not shown");
  },

  "a change of the files is told without a reload": async ({ page, open, root }) => {
    await open("/-/status");
    const files = async () => Number(/([\d,]+) files indexed/.exec((await page.getByText(/\d+ files indexed/).textContent()) ?? "")?.[1]?.replaceAll(",", ""));
    const before = await files();
    mkdirSync(join(root, "later"), { recursive: true });
    writeFileSync(join(root, "later", `f${Date.now()}.go`), "package later\n");
    await page.getByText(`${(before + 1).toLocaleString("en")} files indexed`).waitFor();
  },

  "the metrics are plotted, and tokens saved are counted": async ({ page, open, server }) => {
    await open("/-/search?q=cart");
    await page.locator("[data-item]").first().waitFor();
    await open("/-/status");
    await page.getByRole("img", { name: /^Memory: \d+ MiB now/ }).waitFor();
    await page.getByRole("cell", { name: "/search" }).waitFor();
    await fetch(`${server.url}/search`, { method: "POST", body: '{"query":"cart"}', headers: { "X-Session-Id": "a-session-of-somebody" } });
    await page.getByRole("region", { name: "Tokens by session" }).getByText("a-sessio", { exact: true }).waitFor();
  },

  "a first build shows how far it is, and that it is done": async (t) => {
    const many = {};
    for (let i = 0; i < 300; i++) many[`many/f${i}.go`] = `package many\n\n// F${i} gives ${i}.\nfunc F${i}(n int) int { return n * ${i} }\n`;
    const root = repository(many);
    const server = await serve(root.path, { early: true });
    try {
      // The build may be over before the page looks: the first answers are changed to what they are during one.
      let looks = 0;
      await t.page.route("**/status?*", async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        if (++looks <= 3) Object.assign(body.index, { state: "indexing", progress: 0.429, freshness: "UNKNOWN" });
        await route.fulfill({ response, json: body });
      });
      await t.open("/-/status", server);
      await t.page.getByRole("progressbar", { name: "Progress of the build" }).waitFor();
      await t.page.getByText("still being built (42 %)").waitFor();
      await t.page.getByText("The index is complete, and is what the files are.").waitFor({ timeout: 60_000 });
      await t.page.getByText("307 files indexed").waitFor();
    } finally {
      await t.page.unrouteAll({ behavior: "ignoreErrors" });
      await t.close();
      await server.stop();
      root.remove();
    }
  },

  "what is left out is listed with its reason": async (t) => {
    const root = repository({ "large.go": `package large\n\n// ${"x".repeat(3 << 20)}\n`, "data.bin": "\0\0\0\0" });
    const server = await serve(root.path);
    try {
      await t.open("/-/status", server);
      await t.page.getByRole("region", { name: "Files left out" }).getByText("data.bin").waitFor();
    } finally {
      await t.close();
      await server.stop();
      root.remove();
    }
  },

  "several projects: one is chosen, and stays in the address": async (t) => {
    const other = repository({ "only/here.go": "package only\n\n// Hermit lives alone.\nfunc Hermit() {}\n" });
    const server = await serve([t.root, other.path]);
    try {
      await t.open("/-/search?q=Hermit&mode=symbol", server);
      await t.page.getByText("Nothing matches.").waitFor();
      const name = other.path.split("/").at(-1);
      await t.page.getByLabel("Project").selectOption(name);
      await t.page.locator("[data-item]", { hasText: "Hermit" }).waitFor();
      check(t.page.url().includes("project="), `the address is ${t.page.url()}`);
      await t.page.getByRole("button", { name: "Everything" }).click();
      await t.page.getByLabel("Project").selectOption("*");
      for (const [words, project] of [["Hermit", name], ["cart total", t.root.split("/").at(-1)]]) {
        await t.page.getByRole("searchbox").fill(words);
        await t.page.locator(".file h2", { hasText: project }).first().waitFor(); // files of both
      }
      await t.page.getByLabel("Project").selectOption(name);
      await t.page.getByRole("link", { name: "Status", exact: true }).click();
      await t.page.getByText(other.path).first().waitFor();
      check(t.page.url().includes("project="), `the address is ${t.page.url()}`);
    } finally {
      await t.close();
      await server.stop();
      other.remove();
    }
  },
};
