import { check } from "./tab.mjs";

/** Searches for something, and waits for a result with a name. */
async function search({ page, open }, address, name) {
  await open(address);
  await item(page, name).waitFor();
}

const item = (page, name) => page.locator("[data-item]", { hasText: name }).first();
const field = (page) => page.getByRole("searchbox");

export const journeys = {
  "results come as one types, with the matches marked": async ({ page, open }) => {
    await open("/");
    check(new URL(page.url()).pathname === "/-/search", `the front leads to ${page.url()}`);
    await field(page).waitFor();
    await page.keyboard.type("cart total"); // the field has the focus
    await item(page, "Total").waitFor();
    await page.locator("mark").first().waitFor(); // a single letter marks nothing
    await page.waitForURL(/[?&]q=cart\+total/);
    await page.getByText(/Matches by/).first().waitFor();
  },

  "an address is a search: its mode, filters and words": async (t) => {
    await search(t, "/-/search?q=total&mode=symbol&tests=only&lang=go&path=cart", "TestTotal");
    check((await t.page.locator("[data-item]").count()) === 1, "more than the test is found");
    check((await field(t.page).inputValue()) === "total", "the field is not filled in");
    for (const name of ["Symbols", "Only tests"]) {
      check((await t.page.getByRole("button", { name }).getAttribute("aria-pressed")) === "true", `${name} is not pressed`);
    }
    await t.page.getByRole("button", { name: "Without language go" }).waitFor();
  },

  "chips change the search, and the address with it": async (t) => {
    await search(t, "/-/search?q=total", "Total");
    await t.page.getByRole("button", { name: "Without tests" }).click();
    await item(t.page, "TestTotal").waitFor({ state: "detached" });
    check(t.page.url().includes("tests=without"), `the address is ${t.page.url()}`);
    await t.page.getByLabel("Path: add").fill("price");
    await t.page.keyboard.press("Enter");
    await t.page.getByText("price/price.go").first().waitFor();
    check(t.page.url().includes("path=price"), `the address is ${t.page.url()}`);
    await t.page.getByRole("button", { name: "Without path price" }).click();
    await t.page.getByText("cart/cart.go").first().waitFor();
  },

  "an expression finds lines": async (t) => {
    await search(t, `/-/search?mode=regex&q=${encodeURIComponent("func.*article string, count int")}`, "Add");
    check((await t.page.locator("mark").first().textContent())?.startsWith("func"), "the match is not marked");
  },

  "a wrong expression is a sentence": async ({ page, open, forgive }) => {
    forgive(/400/);
    await open("/-/search?mode=regex&q=(");
    await page.getByRole("alert").waitFor();
    check(/expression|pattern|parenthes/i.test((await page.getByRole("alert").textContent()) ?? ""), "the sentence does not say what is wrong");
  },

  "an unknown language is a sentence": async ({ page, open, forgive }) => {
    forgive(/400/);
    await open("/-/search?q=total&lang=klingon");
    check(/klingon/.test((await page.getByRole("alert").textContent()) ?? ""), "the sentence does not name it");
  },

  "nothing found is said": async ({ page, open }) => {
    await open("/-/search?q=zzzyqx&mode=symbol");
    await page.getByText("Nothing matches.").waitFor();
  },

  "a path that there is not is not taken for code without matches": async ({ page, open, forgive }) => {
    forgive(/404/);
    await open("/-/search?q=total&path=nowhere");
    check(/nowhere/.test((await page.getByRole("alert").textContent()) ?? ""), "the sentence does not name it");
  },

  "the keyboard alone: to the results, through them, and back": async ({ page, open }) => {
    await open("/-/search");
    await field(page).waitFor();
    await page.keyboard.type("cart");
    await item(page, "Cart").waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute("href") ?? ""); // several may have a name
    await page.keyboard.press("ArrowDown");
    const first = await focused();
    await page.keyboard.press("ArrowDown");
    const second = await focused();
    check(first !== "" && second !== "" && first !== second, `the arrows go from ${first} to ${second}`);
    await page.keyboard.press("ArrowUp");
    check((await focused()) === first, "up does not go back");
    await page.keyboard.press("End");
    await page.keyboard.press("Home");
    check((await focused()) === first, "Home does not lead to the first");
    await page.keyboard.press("Escape");
    check(await field(page).evaluate((e) => e === document.activeElement), "Esc does not lead to the field");
    await page.keyboard.press("Enter");
    check((await focused()) === first, "Enter in the field does not lead to the first result");
    await page.keyboard.press("/");
    check(await field(page).evaluate((e) => e === document.activeElement), "/ does not lead to the field");
    check((await field(page).inputValue()) === "cart", "/ is written into the field");
  },

  "Tab reaches every control, and shows where it is": async ({ page, open }) => {
    await open("/-/search?q=cart");
    await item(page, "Cart").waitFor();
    await page.locator(".skip").focus();
    const names = ["To the content"];
    for (let i = 0; i < 24; i++) {
      await page.keyboard.press("Tab");
      names.push(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? ""));
      const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
      check(outline !== "none", `${names.at(-1)} has the focus and does not show it`);
    }
    for (const name of ["To the content", "Search", "Status", "Everything", "Regex", "Only tests", "Path: add"]) check(names.includes(name), `Tab does not reach ${name}: ${names.join(", ")}`);
  },

  "back and forward go through searches": async (t) => {
    const { page } = t;
    await search(t, "/-/search?q=cart", "Cart");
    await page.getByRole("button", { name: "Symbols" }).click();
    await page.waitForURL(/mode=symbol/);
    await field(page).fill("parse_order");
    await item(page, "parse_order").waitFor();
    await page.goBack();
    await page.waitForFunction(() => document.querySelector("#query")?.value === "cart");
    check(page.url().includes("mode=symbol"), `back leads to ${page.url()}`);
    await page.goBack();
    check(!page.url().includes("mode="), `back leads to ${page.url()}`);
    await page.goForward();
    await page.goForward();
    await page.waitForFunction(() => document.querySelector("#query")?.value === "parse_order");
    await item(page, "parse_order").waitFor();
  },

  "back comes to where one was": async ({ page, open }) => {
    await page.setViewportSize({ width: 800, height: 300 });
    await open("/-/search?q=shop");
    await page.locator("[data-item]").nth(2).waitFor();
    await page.evaluate(() => scrollTo(0, 350));
    await page.waitForTimeout(250);
    await page.getByRole("link", { name: "Status" }).evaluate((link) => link.click());
    await page.getByRole("heading", { name: "Status", exact: true }).waitFor();
    check((await page.evaluate(() => scrollY)) === 0, "another view does not begin at its top");
    await page.goBack();
    await page.locator("[data-item]").nth(2).waitFor();
    await page.waitForFunction(() => Math.abs(scrollY - 350) < 5);
  },

  "more lines of a result are shown when one asks": async (t) => {
    await search(t, "/-/search?q=TestTotal", "TestTotal");
    const more = t.page.getByRole("button", { name: /more line/ }).first();
    const before = await t.page.locator(".line").count();
    await more.click();
    check((await t.page.locator(".line").count()) > before, "no more lines are shown");
  },

  "an address that there is not has one sentence and a way on": async ({ page, open }) => {
    await open("/-/nowhere/at/all");
    await page.getByRole("heading", { name: "There is nothing at this address." }).waitFor();
    await page.getByRole("link", { name: "Search the code" }).click();
    await field(page).waitFor();
  },

  "an unknown project is a sentence": async ({ page, open, forgive }) => {
    forgive(/409/);
    await open("/-/search?q=cart&project=nothing");
    check(/project/.test((await page.getByRole("alert").textContent()) ?? ""), "the sentence does not say that it is the project");
  },
};
