// Takes the example in TypeScript out of docs/http.md, so that it is checked like
// the rest.
import { mkdir, readFile, writeFile } from "node:fs/promises";

const page = await readFile(new URL("../../docs/http.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)];
if (examples.length !== 1) {
  console.error(`docs/http.md has ${examples.length} examples in TypeScript, not one`);
  process.exit(1);
}
await mkdir(new URL("build/", import.meta.url), { recursive: true });
await writeFile(new URL("build/readme.ts", import.meta.url), examples[0][1]);
