import { repository } from "./repository.mjs";
import { serve } from "./server.mjs";
import { check } from "./tab.mjs";

const hostile = `<img src=x onerror=alert(1)>"'&\`.go`;

/** The lines that are in the document, by their numbers. */
const rows = (page) => page.locator(".code .row");
const row = (page, n) => page.locator(`.code .row[data-line="${n}"]`);

/** Has a server of a repository with some more files, after that of other roots. */
async function served(files, journey, others = []) {
  const own = repository(files);
  const server = await serve([...others, own.path]);
  try {
    await journey(server, own.path);
  } finally {
    await server.stop();
    own.remove();
  }
}

export const journeys = {
  "a result leads to its lines, which are highlighted": async ({ page, open }) => {
    await open("/-/search?q=discount");
    await page.locator("[data-item]", { hasText: "discount" }).first().click();
    await row(page, 29).waitFor();
    check(new URL(page.url()).pathname === "/-/code/cart/cart.go", `the address is ${page.url()}`);
    check((await row(page, 29).locator(".t-keyword", { hasText: "func" }).count()) === 1, "func is no keyword");
    check((await row(page, 29).locator(".t-function", { hasText: "discount" }).count()) === 1, "discount is no function");
    check(await row(page, 29).evaluate((e) => e.classList.contains("selected")), "the line is not selected");
  },

  "a name leads to its definition, its callers and its tests": async ({ page, open }) => {
    await open("/-/code/cart/cart.go#L26");
    await row(page, 26).locator(".name", { hasText: "discount" }).click();
    const panel = page.locator("#panel");
    await panel.getByRole("heading", { name: /discount/ }).waitFor();
    check(page.url().includes("symbol=cart%2Fcart.go%3A29"), `the address is ${page.url()}`);
    await panel.getByText("sum * 95 / 100").waitFor();
    await panel.getByRole("button", { name: "Callers" }).click();
    await panel.getByRole("link", { name: /Total/ }).first().hover();
    await panel.getByText("return discount(sum)").waitFor();
    await panel.getByRole("button", { name: "Tests" }).click();
    await panel.getByRole("link", { name: /TestTotal/ }).waitFor();
    await panel.getByRole("button", { name: "References" }).click();
    await panel.getByText(/^\d+ in all/).waitFor(); // within a repository that has these tests its strings name it, too
    await panel.getByRole("link", { name: "In the graph" }).click();
    await page.waitForURL(/\/-\/graph\?target=cart%2Fcart.go%3A29/);
    await page.goBack();
    await panel.waitFor();
    await page.goBack();
    await panel.waitFor({ state: "detached" });
  },

  "a name of another file, a trail back, and a summary where one stays": async ({ page, open }) => {
    await open("/-/code/cart/cart.go#L24");
    await row(page, 24).locator(".name", { hasText: "Of" }).hover();
    await page.getByRole("tooltip").getByText("price/price.go:7").waitFor();
    await row(page, 24).locator(".name", { hasText: "Of" }).click();
    const panel = page.locator("#panel");
    await panel.getByRole("link", { name: "price/price.go:7" }).first().waitFor();
    await row(page, 26).locator(".name", { hasText: "discount" }).click();
    await panel.getByRole("heading", { name: /discount/ }).waitFor();
    await panel.getByRole("navigation", { name: "Trail" }).getByRole("link", { name: "Of" }).click();
    await panel.getByRole("heading", { name: /Of/ }).waitFor();
    await panel.getByRole("link", { name: "price/price.go:7" }).first().click();
    await page.waitForURL(/price\/price\.go#L7$/);
  },

  "keys alone: to a file and a line, along names, to a definition and back": async ({ page, open }) => {
    await open("/-/code");
    await page.getByRole("textbox", { name: /Go to a file/ }).waitFor();
    await page.keyboard.type("cartgo:26"); // only the letters of the path
    await page.locator("dialog [data-item]", { hasText: "cart/cart.go" }).waitFor();
    await page.keyboard.press("Enter");
    await row(page, 26).waitFor();
    await page.locator("#code").focus();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await row(page, 26).locator(".name.at", { hasText: "discount" }).waitFor();
    await page.keyboard.press("Enter");
    await page.locator("#panel").getByRole("heading", { name: /discount/ }).waitFor();
    await page.locator("#code").focus();
    await page.keyboard.press("Escape");
    await page.locator("#panel").waitFor({ state: "detached" });
    await page.keyboard.press("Shift+ArrowDown");
    check(page.url().endsWith("#L26-27"), `the address is ${page.url()}`);
    await page.keyboard.press("g");
    await page.getByRole("textbox", { name: /Go to a file/ }).waitFor();
    await page.keyboard.press("Escape");
  },

  "the tree and the outline lead through files and symbols": async ({ page, open }) => {
    await open("/-/code/README.md");
    const tree = page.getByRole("navigation", { name: "Files" });
    await tree.getByRole("button", { name: /price/ }).click();
    await tree.getByRole("link", { name: "price.go" }).click();
    await page.getByRole("navigation", { name: "Outline" }).getByRole("link", { name: "Of" }).click();
    await page.waitForURL(/price\/price\.go#L7$/);
    check(await row(page, 7).evaluate((e) => e.classList.contains("selected")), "the line is not selected");
  },

  "a slice lights up lines with their reasons": async ({ page, open }) => {
    await open("/-/code/cart/cart.go#L26");
    await page.getByRole("link", { name: "What line 26 depends on" }).click();
    await row(page, 24).locator("code").waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".code .row.lit").length > 3);
    const panel = page.locator("#panel");
    await panel.getByText(/it writes sum/).first().waitFor();
    check(await row(page, 17).evaluate((e) => e.classList.contains("dim")), "a line outside of the slice is as bright");
    await panel.getByRole("button", { name: "What depends on it" }).click();
    await page.waitForURL(/slice=forward/);
    await panel.getByRole("button", { name: "Close the slice" }).click();
    await page.waitForFunction(() => document.querySelectorAll(".code .row.lit").length === 0);
  },

  "the control flow is drawn, and its blocks lead to lines": async ({ page, open }) => {
    await open("/-/cfg/cart/cart.go#L30");
    await page.getByRole("heading", { name: /Control flow of discount/ }).waitFor();
    const picture = page.locator(".drawing");
    check((await picture.locator("rect").count()) >= 3, "there are no boxes");
    check((await picture.locator("style, script").count()) === 0, "a style came along");
    await picture.locator("a", { hasText: "95" }).click();
    await page.waitForURL(/code\/cart\/cart\.go#L31$/);
    await row(page, 31).waitFor();
  },

  "dead code is worked through, and the marks stay": async ({ page, open }) => {
    await open("/-/analyses/dead?path=price");
    const one = page.locator(".finding", { hasText: "forgotten" });
    await one.getByText("Why it could still be alive").waitFor();
    await one.getByRole("button", { name: "Done" }).click();
    await one.waitFor({ state: "detached" });
    await page.reload();
    await page.getByText(/1 of them looked at/).waitFor();
    await page.getByRole("button", { name: "All", exact: true }).click();
    await one.waitFor();
    await page.locator(".finding", { hasText: "forgotten" }).getByRole("link", { name: "forgotten" }).click();
    await page.waitForURL(/code\/price\/rest\.go#L4/);
  },

  "findings and layers are lists that lead to the code": async ({ page, open }) => {
    await open("/-/analyses/findings");
    await page.getByText(/findings in \d+ files/).waitFor();
    await page.getByRole("link", { name: "Layers and cycles" }).click();
    await page.getByText(/modules, [\d,]+ dependenc/).waitFor();
    // Of a large program a layer shows some of its modules, and how many more it has.
    await page.locator(".layers code", { hasText: "price" }).or(page.locator(".layers .muted", { hasText: /^and \d+ more$/ })).first().waitFor();
  },

  "a long file is drawn in parts, and the place in it is kept": async ({ page, open }) => {
    const lines = Array.from({ length: 25_000 }, (_, i) => `    "line ${i}",  # ${i}\n`).join("");
    await served({ "long.py": `TABLE = [\n${lines}]\n` }, async (server) => {
      await open("/-/code/long.py#L20001", server);
      await row(page, 20001).locator(".t-string").waitFor();
      check((await rows(page).count()) < 300, `${await rows(page).count()} lines are in the document`);
      await page.evaluate(() => scrollBy(0, 60_000));
      await page.waitForFunction(() => [...document.querySelectorAll(".code .row")].some((e) => Number(e.dataset.line) > 22000 && e.querySelector(".t-string")));
      const left = await page.evaluate(() => scrollY);
      await page.evaluate(() => document.querySelector("header nav a").click()); // the tab would scroll up to it for a click of its own
      await page.getByRole("searchbox").waitFor();
      await page.goBack();
      await rows(page).first().waitFor();
      await page.waitForFunction((y) => Math.abs(scrollY - y) < 5, left);
      await page.goto("about:blank");
    });
  },

  "a file that is missing, a folder and a line beyond the end are said to be so": async ({ page, open, forgive }) => {
    forgive(/Failed to load resource/);
    await open("/-/code/none.go");
    await page.getByRole("alert").getByText("does not exist").waitFor();
    await open("/-/code/cart");
    await page.getByRole("alert").getByText(/is a folder/).waitFor();
    await open("/-/code/cart/cart.go#L9999");
    await page.getByText("The file has 34 lines.").waitFor();
  },

  "several projects: each has its files, and links stay in it": async ({ page, open, root }) => {
    await served({ "only.go": "package only\n\n// Alone is in one project.\nfunc Alone() {}\n" }, async (server, path) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      await open(`/-/code?project=${encodeURIComponent(name)}`, server);
      await page.getByRole("textbox", { name: /Go to a file/ }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("navigation", { name: "Files" }).getByRole("link", { name: "only.go" }).click();
      await row(page, 4).locator(".name", { hasText: "Alone" }).click();
      await page.locator("#panel").getByRole("heading", { name: /Alone/ }).waitFor();
      check(new URL(page.url()).searchParams.get("project") === name, `the address is ${page.url()}`);
      await page.getByLabel("Project").selectOption({ index: 0 });
      await page.getByRole("navigation", { name: "Files" }).getByRole("link", { name: "go.mod" }).waitFor();
      await page.goto("about:blank");
    }, [root]);
  },

  "names and contents that are markup are text": async ({ page, open }) => {
    await open(`/-/code/hostile/${encodeURIComponent(hostile)}#L3`);
    await row(page, 3).getByText("<script>alert(1)</script>").waitFor();
    await page.getByText("[U+202E]").waitFor();
    await row(page, 4).locator(".name", { hasText: "Hostile" }).click();
    await page.locator("#panel").getByRole("heading", { name: /Hostile/ }).waitFor();
    await page.getByRole("link", { name: "Control flow" }).click();
    await page.getByRole("heading", { name: /Control flow of/ }).waitFor();
    check((await page.locator("main img, main script").count()) === 0, "markup of a file became elements");
  },
};

/** What these journeys need besides the files of all. */
export const files = {
  "price/rest.go": "package price\n\n// forgotten is what nobody calls.\nfunc forgotten() int { return 1 }\n",
  [`hostile/${hostile}`]: `package hostile\n\n// <script>alert(1)</script> \u202e\nfunc Hostile(a int) string { if a > 1 { return "<img src=x onerror=alert(2)>" }; return "" }\n`,
};
