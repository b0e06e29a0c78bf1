// Takes the example in TypeScript out of the README, so that it is checked like
// the rest.
import { mkdir, readFile, writeFile } from "node:fs/promises";

const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)];
if (examples.length !== 1) {
  console.error(`README.md has ${examples.length} examples in TypeScript, not one`);
  process.exit(1);
}
await mkdir(new URL("build/", import.meta.url), { recursive: true });
await writeFile(new URL("build/readme.ts", import.meta.url), examples[0][1]);
