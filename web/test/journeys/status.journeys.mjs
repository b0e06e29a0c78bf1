export const journeys = {
  "the status says what is indexed": async ({ page, open }) => {
    await open("/-/search");
    await page.getByRole("link", { name: "Status" }).click();
    await page.getByRole("heading", { name: "Status" }).waitFor();
    await page.getByText(/\d+ indexed, 0 left out/).waitFor();
  },
};
