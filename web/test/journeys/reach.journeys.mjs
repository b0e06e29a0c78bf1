import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { repository } from "./repository.mjs";
import { serve } from "./server.mjs";
import { check } from "./tab.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The addresses of all views, each with something to show. A view that is new is added here. */
const views = [
  "/-/search?q=cart",
  "/-/search",
  "/-/graph?target=Total&depth=2",
  "/-/graph?target=TestTotal&to=Of",
  "/-/impact?target=discount",
  "/-/map",
  "/-/map?show=modules",
  "/-/code",
  "/-/code/cart/cart.go#L30",
  "/-/code/cart/cart.go?symbol=cart%2Fcart.go%3A29&list=callers#L26",
  "/-/code/cart/cart.go?slice=backward&of=26#L26",
  "/-/cfg/cart/cart.go#L22",
  "/-/analyses/dead",
  "/-/analyses/findings",
  "/-/analyses/layers",
  "/-/status",
  "/-/nowhere",
];

/** Waits until a view shows what it has asked for, and so many milliseconds more. */
async function settled(page, more = 300) {
  await page.locator("h1").first().waitFor({ state: "attached" });
  await page.waitForLoadState("load");
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  await page.waitForTimeout(more);
}

/** Fails where something is wider than the page. */
async function fits(page, address) {
  const [width, room] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  check(width <= room, `${address} is ${width} wide, and has room for ${room}`);
}

export const journeys = {
  "axe finds no serious violation on any view, light and dark": async (t) => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, open, close } = await t.tab({ colorScheme, bypassCSP: true }); // axe is a script of the test
      for (const address of views) {
        await open(address);
        await settled(page);
        await page.evaluate(axe);
        // Dark differs in nothing but colours.
        const { violations } = await page.evaluate((rules) => globalThis.axe.run(rules), colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {});
        const serious = violations.filter((v) => v.impact === "serious" || v.impact === "critical");
        check(serious.length === 0, `${address}, ${colorScheme}: ${serious.map((v) => `${v.id} (${v.nodes.map((n) => n.html).join(" ")})`).join("; ")}`);
      }
      await close();
    }
  },

  "all views fit 400 pixels": async (t) => {
    const { page, open, close } = await t.tab({ viewport: { width: 400, height: 800 } });
    for (const address of views) {
      await open(address);
      await settled(page);
      await fits(page, address);
    }
    await close();
  },

  "all views are readable at 200 %": async (t) => {
    // 1280 pixels, each twice as large, as zoom does it; then letters alone that are twice as large.
    for (const [width, size] of [[640, "100%"], [1280, "200%"]]) {
      const { page, open, close } = await t.tab({ viewport: { width, height: 400 } });
      for (const address of views) {
        await open(address);
        await page.evaluate((size) => (document.documentElement.style.fontSize = size), size);
        await settled(page);
        await fits(page, `${address} at ${size}`);
      }
      await close();
    }
  },

  "light and dark are the system's": async (t) => {
    const ground = async (colorScheme) => {
      const { page, open, close } = await t.tab({ colorScheme });
      await open("/-/search");
      const colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      await close();
      return colour;
    };
    check((await ground("light")) !== (await ground("dark")), "light and dark are one");
  },

  "names and contents that look like markup are text": async (t) => {
    const bad = [
      "<script>alert(1)</script>",
      "<img src=x onerror=alert(1)>",
      "\"><svg onload=alert(1)>",
      "javascript:alert(1)",
      "{{constructor.constructor('alert(1)')()}}",
      "</code></pre><iframe srcdoc='<script>alert(1)</script>'>",
      "‮txt.exe",
      "${7*7}<%= 7*7 %>#{7*7}",
      "<a href='javascript:alert(1)'>a</a>",
      "<style>body{display:none}</style>",
      "<base href='http://evil.example'>",
      "<meta http-equiv=refresh content='0;url=http://evil.example'>",
      "<form action='http://evil.example'><button autofocus>",
      "<math><mtext></form><form><mglyph><svg><mtext><img src onerror=alert(1)>",
      "a\u0000b".replace("\u0000", "\u2028"),
    ];
    const files = {};
    bad.forEach((text, i) => {
      files[`hostile/${text.replaceAll("/", "∕")}.go`] = `package hostile\n\n// needle ${text}\nfunc Needle${i}() string { return ${JSON.stringify(text)} }\n`;
      files[`hostile/p${i}.py`] = `def needle_${i}():\n    """needle ${text}"""\n    return '''${text}'''\n`;
    });
    files["hostile/long.js"] = `function needleLong() { return "${"needle ".repeat(20_000)}" }\n`;
    files["hostile/bidi.md"] = `# needle ${bad.join("\n")}\n`;
    const root = repository(files);
    const server = await serve(root.path);
    /** Fails where a name or a text became more than text. */
    const plain = async (page, address) => {
      const strange = await page.evaluate(() => [...document.querySelectorAll("main script, main iframe, main img, main form[action], main base, main style, main [onerror], main [onload], a[href^='javascript:']")].map((e) => e.outerHTML));
      check(strange.length === 0, `${address} has ${strange.join(" ")}`);
    };
    try {
      for (const address of ["/-/search?q=needle&limit=100", "/-/search?q=needle&mode=regex&limit=100", "/-/search?q=needle&mode=symbol&limit=100", "/-/status", `/-/${encodeURIComponent(bad[0])}`, `/-/search?q=${encodeURIComponent(bad[1])}`, `/-/search?project=${encodeURIComponent(bad[2])}&q=a`]) {
        t.forgive(/409/); // there is no such project
        await t.open(address, server);
        await settled(t.page);
        await plain(t.page, address);
      }
      // Each of the files in each view that shows one, from one to the next as a link goes.
      const addresses = ["/-/map?path=hostile", "/-/map?path=hostile&show=modules", "/-/analyses/dead", "/-/analyses/findings", "/-/analyses/layers"];
      for (const file of Object.keys(files)) {
        const path = file.split("/").map(encodeURIComponent).join("/");
        const line = { go: 4, py: 1, js: 1, md: 1 }[file.slice(file.lastIndexOf(".") + 1)];
        const target = encodeURIComponent(`${file}:${line}`);
        addresses.push(`/-/code/${path}?symbol=${target}#L${line}`, `/-/graph?target=${target}`, `/-/impact?target=${target}`);
      }
      t.forgive(/status of (400|404|422)/); // what is in no symbol has no calls
      await t.open("/-/map", server);
      for (const address of addresses) {
        await t.page.evaluate((to) => {
          history.pushState(null, "", to);
          dispatchEvent(new PopStateEvent("popstate"));
        }, address);
        await settled(t.page, 50);
        await plain(t.page, address);
        check(t.page.url() === new URL(address, server.url).href, `${address} led to ${t.page.url()}`);
      }
      await t.open("/-/search?q=needle&limit=100", server);
      await t.page.getByText("<script>alert(1)<∕script>.go").first().waitFor();
    } finally {
      await t.close();
      await server.stop();
      root.remove();
    }
  },

  "the policy forbids what the document does not have": async ({ page, open, forgive }) => {
    forgive(/Content Security Policy|violates the following/);
    await open("/-/search");
    await settled(page);
    const ran = await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "globalThis.ran = true";
      document.body.append(script);
      return globalThis.ran === true;
    });
    check(!ran, "a script in the document runs");
    const asked = await page.evaluate(() => fetch("http://127.0.0.2:1/").then(() => "answered", (e) => String(e)));
    check(/Failed to fetch/.test(asked), `another origin: ${asked}`);
  },
};
