/**
 * A Journey is given a tab: `page` is Playwright's, `open(address)` goes to an address of the
 * server, `root` is the folder that is served. `forgive(pattern)` lets errors of the console
 * pass that match: those that a journey brings about, such as a request to a server that it stopped.
 */
export async function tab(browser, server, root, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(process.argv.includes("--within") ? 60_000 : 10_000);
  const said = [];
  const forgiven = [];
  page.on("console", (m) => m.type() === "error" && said.push(`console: ${m.text()}`));
  page.on("pageerror", (error) => said.push(`thrown: ${error.message}`));
  page.on("dialog", (dialog) => {
    said.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("request", (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (protocol !== "data:" && protocol !== "blob:" && hostname !== "127.0.0.1") said.push(`asked another host: ${request.url()}`);
  });
  return {
    browser,
    context,
    page,
    root,
    server,
    /** Opens an address such as /-/search?q=a. */
    open: (address, at = server) => page.goto(at.url + address),
    /** Another tab of its own, such as with other options of the context. */
    tab: (o) => tab(browser, server, root, o),
    forgive: (pattern) => forgiven.push(pattern),
    complaints: () => said.filter((s) => !forgiven.some((p) => p.test(s))),
    close: () => context.close(),
  };
}

/** Fails with a sentence unless something holds. */
export function check(holds, sentence) {
  if (!holds) throw new Error(sentence);
}
