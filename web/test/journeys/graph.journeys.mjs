import { readFileSync } from "node:fs";
import { repository } from "./repository.mjs";
import { serve } from "./server.mjs";
import { check } from "./tab.mjs";

/** Clicks the box of a name. */
async function clickBox(page, name) {
  const at = await page.locator(".picture").evaluate((element, text) => element._cyreg.cy.nodes().filter((n) => n.data("text").startsWith(`${text}\n`)).first().renderedPosition(), name);
  const frame = await page.locator(".picture").boundingBox();
  await page.mouse.click(frame.x + at.x, frame.y + at.y);
}

const boxes = (page) => page.locator(".picture").evaluate((element) => element._cyreg.cy.nodes().map((n) => n.id()));
const drawn = (page) => page.locator(".picture canvas").first().waitFor();
const pressed = (page, group) => page.getByRole("group", { name: group }).locator("[aria-pressed=true]").innerText();

/** Serves a repository of its own while something is done. */
async function served(files, work) {
  const root = repository(files);
  const server = await serve(root.path);
  try {
    await work(server);
  } finally {
    await server.stop();
    root.remove();
  }
}

/** Downloads by a button, and returns the name and the bytes. */
async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button, exact: true }).click()]);
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
}

const many = {};
for (let i = 0; i < 360; i++) {
  many[`callers/p${i % 9}/f${i}.go`] = `package p${i % 9}\n\nimport "example.org/shop/price"\n\nfunc Ask${i}() int { return price.Of("tea") }\n`;
}

export const journeys = {
  "a symbol has what calls it above and what it calls below, with the lines of the calls": async ({ page, open }) => {
    await open("/-/graph");
    await page.getByLabel("Around").fill("Total");
    await page.keyboard.press("Enter");
    await drawn(page);
    await page.getByText("3 nodes and 2 edges", { exact: false }).or(page.getByText("4 nodes and 3 edges", { exact: false })).waitFor();
    await page.getByRole("heading", { name: /What it calls/ }).waitFor();
    await page.getByText("sum += price.Of(l.Article) * l.Count").first().waitFor();
    await page.getByRole("heading", { name: /Tests/ }).waitFor();
    const rows = await page.locator(".picture").evaluate((e) => Object.fromEntries(e._cyreg.cy.nodes().map((n) => [n.data("text").split("\n")[0], n.position("y")])));
    check(rows["TestTotal"] < rows["Cart.Total"] && rows["Cart.Total"] < rows["Of"], `the rows are ${JSON.stringify(rows)}`);
    check(page.url().includes("target=Total"), page.url());
  },

  "a click on a neighbour shows what is around it, another takes that away": async ({ page, open }) => {
    await open("/-/graph?target=discount&direction=callers");
    await drawn(page);
    check((await boxes(page)).length === 2, `boxes ${await boxes(page)}`);
    await clickBox(page, "Cart.Total");
    await page.getByText("1 expanded").waitFor();
    await page.getByText(/TestTotal/).first().waitFor();
    check((await boxes(page)).length > 2, "nothing was expanded");
    await clickBox(page, "Cart.Total");
    await page.getByText("1 expanded").waitFor({ state: "detached" });
    await page.goBack();
    await page.getByText("1 expanded").waitFor();
  },

  "the keys alone go through the list, expand and come back": async ({ page, open }) => {
    await open("/-/graph?target=Total");
    await drawn(page);
    await page.getByRole("button", { name: "Cart.Total" }).focus();
    await page.keyboard.press("ArrowDown");
    const name = await page.evaluate(() => document.activeElement.textContent);
    check(name !== "Cart.Total", "the focus stayed");
    await page.keyboard.press("Enter");
    await page.getByText("1 expanded").waitFor();
    check((await page.locator("[data-item][aria-expanded=true]").innerText()) === name, "another one is expanded");
  },

  "boxes are folders, files or classes, and what they stand for can be seen": async ({ page, open }) => {
    await open("/-/graph?target=Of&depth=3");
    await drawn(page);
    await page.getByRole("button", { name: "Folders" }).click();
    await page.getByRole("button", { name: "cart/" }).waitFor();
    check((await boxes(page)).includes("cart/"), `boxes ${await boxes(page)}`);
    await page.getByRole("button", { name: "cart/" }).click();
    await page.getByRole("button", { name: "Cart.Total" }).waitFor();
    check(!(await boxes(page)).includes("cart/"), "the folder is still one box");
    await page.getByRole("button", { name: "Classes" }).click();
    await page.getByRole("button", { name: "Cart", exact: true }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Cart.Total" }).waitFor();
    check((await pressed(page, "What a box is")) === "Folders", "going back does not restore what a box is");
  },

  "the paths between two symbols are marked": async ({ page, open }) => {
    await open("/-/graph?target=TestTotal");
    await drawn(page);
    await page.getByLabel("Paths to").fill("Of");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /Between them/ }).waitFor();
    await page.getByText("on a path").waitFor();
    const looks = await page.locator(".picture").evaluate((e) => e._cyreg.cy.edges().map((x) => x.hasClass("path")));
    check(looks.length > 0 && looks.every(Boolean), `the edges are ${looks}`);
    await open("/-/graph?target=parse_order&to=Of");
    await page.getByText("No way of at most 8 calls").waitFor();
  },

  "the line of a call leads to the code, and going back shows the graph as it was": async ({ page, open }) => {
    await open("/-/graph?target=discount&expand=cart/cart.go:20");
    await drawn(page);
    const before = await boxes(page);
    await page.getByRole("link", { name: /^cart\/cart\.go:\d+$/ }).last().click();
    await page.waitForURL(/\/-\/code\/cart\/cart\.go#L\d+/);
    await page.locator(".code, pre").first().waitFor();
    await page.goBack();
    await drawn(page);
    check((await boxes(page)).join() === before.join(), "the graph is another one");
  },

  "a graph is kept as PNG, SVG, Mermaid and DOT": async ({ page, open }) => {
    await open("/-/graph?target=Total");
    await drawn(page);
    const png = await download(page, "PNG");
    check(png.name === "Total.png" && png.bytes.subarray(1, 4).toString() === "PNG" && png.bytes.length > 2000, `${png.name} has ${png.bytes.length} bytes`);
    const svg = await download(page, "SVG");
    check(svg.name === "Total.svg" && svg.bytes.toString().startsWith("<svg "), `${svg.name} begins ${svg.bytes.subarray(0, 20)}`);
    const mermaid = await download(page, "Mermaid");
    check(mermaid.bytes.toString().startsWith("flowchart"), mermaid.bytes.toString().slice(0, 40));
    const dot = await download(page, "DOT");
    check(dot.bytes.toString().startsWith("digraph"), dot.bytes.toString().slice(0, 40));
  },

  "a name that there is not is said in a sentence": async ({ page, open, forgive }) => {
    forgive(/404/);
    await open("/-/graph?target=Totall");
    await page.getByRole("alert").getByText(/No symbol is called "Totall"/).waitFor();
    await open("/-/graph?target=Total&expand=nowhere.go:3");
    await page.getByRole("alert").getByText(/nowhere.go is not in the index/i).waitFor();
  },

  "what a change of a symbol breaks, the tests, and their command": async ({ page, open, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await open("/-/graph?target=discount");
    await page.getByRole("link", { name: "What breaks" }).nth(1).click(); // the first is that of the navigation
    await page.getByText(/may break/).first().waitFor();
    await page.getByText("go test ./cart").waitFor();
    await page.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied.").waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    check(copied.startsWith("go test ./cart"), `copied: ${copied}`);
    await drawn(page);
    await page.getByRole("link", { name: "Cart.Total" }).waitFor();
  },

  "a diff has what it breaks and the tests to run, also after a reload": async ({ page, open, forgive }) => {
    forgive(/400/); // what is no diff
    await open("/-/impact?way=diff");
    const diff = `--- a/cart/cart.go
+++ b/cart/cart.go
@@ -28,5 +28,5 @@
 func discount(sum int) int {
 	if sum > 10000 {
-		return sum * 95 / 100
+		return sum * 90 / 100
 	}
 	return sum
`;
    await page.getByLabel("A unified diff").fill(diff);
    await page.getByRole("button", { name: "Find what breaks" }).click();
    await page.getByRole("heading", { name: "Changed" }).waitFor();
    await page.getByText("go test ./cart").waitFor();
    check(!page.url().includes("discount"), "the diff is in the address");
    await page.reload();
    await page.getByText("go test ./cart").waitFor();
    await page.getByLabel("A unified diff").fill("no diff <script>alert(1)</script>");
    await page.getByRole("button", { name: "Find what breaks" }).click();
    await page.getByRole("alert").or(page.getByText(/depends on it/)).first().waitFor();
  },

  "what is too much is in groups, which say how many": async ({ page }) => {
    await served(many, async (server) => {
      await page.goto(`${server.url}/-/graph?target=Of&limit=300`);
      await page.getByText(/36\d nodes and 36\d edges\. \d+ symbols beyond the limit are in \d+ groups?/).waitFor();
      check((await boxes(page)).length <= 300, `${(await boxes(page)).length} boxes`);
      const group = page.getByRole("button", { name: /more in callers\// }).first();
      const name = await group.innerText();
      await group.click();
      await page.getByText("1 expanded").waitFor();
      await page.waitForFunction((n) => ![...document.querySelectorAll("[data-item]")].some((e) => e.textContent === n), name);
      check((await boxes(page)).length <= 300, "a group that is expanded goes beyond the bound");
    });
  },

  "names and diffs that look like markup are text": async ({ page }) => {
    const name = "<img src=x onerror=alert(1)>";
    const files = {
      [`hostile/${name}.py`]: `def f():\n    return "</svg><script>alert(1)</script>"\n\n\ndef g():\n    return f()  # <script>alert(2)</script>\n`,
      "hostile/\u202ebidi.js": "export function `x`() {}\nexport function turned() { return 1 }\n",
    };
    await served(files, async (server) => {
      await page.goto(`${server.url}/-/graph?target=${encodeURIComponent(`hostile/${name}.py:f`)}`);
      await drawn(page);
      await page.getByText("# <script>alert(2)</script>").first().waitFor();
      const svg = await download(page, "SVG");
      check(!/<script|onerror=alert/.test(svg.bytes.toString().replaceAll("&lt;", "")) || !svg.bytes.toString().includes("<img"), "the drawing has markup of a name");
      await page.goto(`${server.url}/-/graph?target=${encodeURIComponent(`hostile/${name}.py`)}&collapse=file`);
      await drawn(page);
      await page.goto(`${server.url}/-/map?path=hostile`);
      await page.getByRole("rowheader", { name }).waitFor();
      await page.goto(`${server.url}/-/map?path=${encodeURIComponent("<b>nothing</b>")}`);
      await page.getByText("the index knows no file at or below the path").waitFor();
      await page.goto(`${server.url}/-/impact?target=${encodeURIComponent(`hostile/${name}.py:f`)}`);
      await page.getByText(/may break|depends on it/).first().waitFor();
      check((await page.locator("main img, main script, main iframe").count()) === 0, "a name has become an element");
    });
  },
};
