import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./repository.mjs";
import { freePort, serve } from "./server.mjs";
import { check } from "./tab.mjs";

const away = /ERR_CONNECTION_REFUSED|Failed to fetch|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|network error/;

/** Starts a server that asks for a token. */
async function locked(root) {
  const file = join(root, ".token");
  writeFileSync(file, "a-token-of-journeys\n");
  chmodSync(file, 0o600);
  return serve(root, { args: ["--token-file", file] });
}

export const journeys = {
  "a token is asked for, a wrong one refused, and the right one kept for the tab": async (t) => {
    const root = repository();
    const server = await locked(root.path);
    try {
      t.forgive(/401/);
      const { page } = t;
      await t.open("/-/search?q=cart", server);
      const input = page.getByLabel(/asks for its token/);
      await input.waitFor();
      check(await input.evaluate((e) => e === document.activeElement), "the field of the token has not the focus");
      await page.keyboard.type("wrong");
      await page.keyboard.press("Enter");
      await page.getByText("That is not the token of this server.").waitFor();
      await input.fill("a-token-of-journeys");
      await page.keyboard.press("Enter");
      await page.locator("[data-item]").first().waitFor();
      check(!page.url().includes("token"), `the address is ${page.url()}`);
      await page.reload();
      await page.locator("[data-item]").first().waitFor();
      check((await page.evaluate(() => JSON.stringify(localStorage) + document.cookie)) === "{}", "the token is kept beyond the tab");
    } finally {
      await t.close();
      await server.stop();
      root.remove();
    }
  },

  "another tab is asked for the token again": async (t) => {
    const root = repository();
    const server = await locked(root.path);
    const other = await t.tab();
    try {
      for (const one of [t, other]) {
        one.forgive(/401/);
        await one.open("/-/status", server);
        await one.page.getByLabel(/asks for its token/).fill("a-token-of-journeys");
        await one.page.keyboard.press("Enter");
        await one.page.getByText(/files indexed/).waitFor();
      }
    } finally {
      await other.close();
      await t.close();
      await server.stop();
      root.remove();
    }
  },

  "a server that goes away is said, and the page goes on when it is back": async (t) => {
    const root = repository();
    const port = await freePort();
    const server = await serve(root.path, { port });
    let again;
    try {
      t.forgive(away);
      const { page } = t;
      await t.open("/-/search?q=cart", server);
      await page.locator("[data-item]").first().waitFor();
      await server.stop(true);
      await page.getByRole("searchbox").fill("invoice");
      await page.getByText("The server does not answer.").waitFor();
      check((await page.locator("[data-item]").count()) > 0, "what was found is gone");
      again = await serve(root.path, { port, data: server.data });
      await page.locator("[data-item]", { hasText: "send_invoice" }).waitFor();
      await page.getByText("The server does not answer.").waitFor({ state: "detached" });
    } finally {
      await t.close();
      await (again ?? server).stop();
      root.remove();
    }
  },

  "the status goes on after a restart": async (t) => {
    const root = repository();
    const port = await freePort();
    const server = await serve(root.path, { port });
    let again;
    try {
      t.forgive(away);
      await t.open("/-/status", server);
      await t.page.getByText(/files indexed/).waitFor();
      await server.stop(true);
      await t.page.getByText("The server does not answer.").waitFor();
      again = await serve(root.path, { port, data: server.data });
      await t.page.getByText("The server does not answer.").waitFor({ state: "detached" });
      writeFileSync(join(root.path, "new.go"), "package shop\n");
      await t.page.getByText("8 files indexed").waitFor();
    } finally {
      await t.close();
      await (again ?? server).stop();
      root.remove();
    }
  },

  "offline after it was loaded, the page says so, and a view not loaded yet as well": async (t) => {
    t.forgive(/ERR_INTERNET_DISCONNECTED|Failed to fetch/);
    const { page, context } = t;
    await t.open("/-/search?q=cart");
    await page.locator("[data-item]").first().waitFor();
    await context.setOffline(true);
    await page.getByRole("link", { name: "Status", exact: true }).click();
    await page.getByText("This view could not be loaded").waitFor();
    await page.goBack();
    await page.locator("[data-item]").first().waitFor(); // what was found before is still there
    await page.getByRole("searchbox").fill("parse_order");
    await page.getByText("The server does not answer.").waitFor();
    await context.setOffline(false);
    await page.locator("[data-item]", { hasText: "parse_order" }).waitFor();
    await page.getByRole("link", { name: "Status", exact: true }).click();
    await page.getByText(/files indexed/).waitFor();
  },
};
