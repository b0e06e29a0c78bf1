import { repository } from "./repository.mjs";
import { serve } from "./server.mjs";
import { check } from "./tab.mjs";

export const journeys = {
  "the map has folders by size, coloured as one chooses, and goes into them and back": async ({ page, open }) => {
    await open("/-/map");
    await page.getByRole("img", { name: /A treemap of/ }).waitFor();
    await page.getByRole("row", { name: /cart\// }).waitFor();
    check((await page.locator(".treemap rect.lang0").count()) > 0, "no language has a colour");
    await page.getByRole("button", { name: "Dependents" }).click();
    await page.getByText("no file depends on it").waitFor();
    check((await page.locator(".treemap rect.heat5").count()) > 0, "no file is the one with the most dependents");
    await page.getByRole("link", { name: "cart/" }).click();
    await page.getByRole("rowheader", { name: "cart_test.go" }).waitFor();
    check(page.url().includes("path=cart") && page.url().includes("colour=fan_in"), page.url());
    await page.getByRole("button", { name: "Without tests" }).click();
    await page.getByRole("rowheader", { name: "cart_test.go" }).waitFor({ state: "detached" });
    await page.getByRole("navigation", { name: "Folders around it" }).getByRole("link", { name: "all" }).click();
    await page.getByRole("row", { name: /price\// }).waitFor();
    await page.goBack();
    await page.getByRole("rowheader", { name: "cart.go" }).waitFor();
  },

  "a click on a box of the map goes into the folder": async ({ page, open }) => {
    await open("/-/map?size=bytes");
    await page.locator(".treemap text").first().waitFor();
    const folder = page.locator(".treemap rect.folder").first();
    const at = await folder.boundingBox();
    await page.mouse.click(at.x + 8, at.y + 5);
    await page.waitForURL(/path=/);
    await page.getByText(/, [\d,]+ lines/).first().waitFor();
  },

  "modules are in layers, and cycles are said and marked": async ({ page }) => {
    const root = repository({
      "ring/__init__.py": "",
      "ring/a/__init__.py": "from ring.b import two\n\n\ndef one():\n    return two()\n",
      "ring/b/__init__.py": "from ring.a import one\n\n\ndef two():\n    return one\n",
    });
    const server = await serve(root.path);
    try {
      await page.goto(`${server.url}/-/map`);
      await page.getByRole("button", { name: "Modules and what they depend on" }).click();
      await page.getByText(/\d+ modules, \d+ dependencies, 1 cycles?/).waitFor();
      await page.getByText(/ring\/a → ring\/b → ring\/a|ring\/b → ring\/a → ring\/b/).first().waitFor();
      const red = await page.locator(".picture").evaluate((e) => e._cyreg.cy.nodes(".alert").map((n) => n.id()));
      check(red.sort().join() === "ring/a,ring/b", `marked are ${red}`);
      const y = await page.locator(".picture").evaluate((e) => ["cart", "price"].map((id) => e._cyreg.cy.getElementById(id).position("y")));
      check(y[0] < y[1], "what depends on nothing is not at the bottom");
      await page.getByRole("link", { name: "cart", exact: true }).click();
      await page.getByRole("rowheader", { name: "cart.go" }).waitFor();
    } finally {
      await server.stop();
      root.remove();
    }
  },
};
