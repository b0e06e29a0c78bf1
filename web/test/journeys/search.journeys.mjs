import { check } from "./tab.mjs";

export const journeys = {
  "results come as one types, with the matches marked": async ({ page, open }) => {
    await open("/");
    check(new URL(page.url()).pathname === "/-/search", `the front leads to ${page.url()}`);
    await page.getByRole("searchbox").waitFor();
    await page.keyboard.type("cart total"); // the field has the focus
    await page.locator("[data-item]", { hasText: "Total" }).first().waitFor();
    check((await page.locator("mark").count()) > 0, "nothing is marked");
    check(page.url().includes("q=cart+total"), `the address is ${page.url()}`);
    check((await page.getByText(/Matches by/).count()) > 0, "it is not said why something matches");
  },

  "an address that there is not has one sentence and a way on": async ({ page, open }) => {
    await open("/-/nowhere/at/all");
    await page.getByRole("heading", { name: "There is nothing at this address." }).waitFor();
    await page.getByRole("link", { name: "Search the code" }).click();
    await page.getByRole("searchbox").waitFor();
  },
};
