// Writes src/schema.ts, the types of ../../openapi.yaml. With --check it only
// compares, and fails where the file is not what it would write.
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";
import { parse } from "yaml";

const description = new URL("../../openapi.yaml", import.meta.url);
const target = new URL("src/schema.ts", import.meta.url);

const document = parse(await readFile(description, "utf8"));
for (const [name, schema] of Object.entries(document.components.schemas)) {
  if (!name.endsWith("Request")) continue;
  // "One of these fields is needed" becomes `unknown` in TypeScript, and "unknown
  // fields are ignored" would let every misspelt one pass.
  if (schema.anyOf?.every((s) => Object.keys(s).join() === "required")) delete schema.anyOf;
  if (schema.additionalProperties === true) delete schema.additionalProperties;
}
const text = COMMENT_HEADER + astToString(await openapiTS(document, { silent: true }));

if (!process.argv.includes("--check")) {
  await writeFile(target, text);
} else if ((await readFile(target, "utf8").catch(() => "")) !== text) {
  console.error("src/schema.ts is not what openapi.yaml gives: run `npm run generate` in client/typescript");
  process.exit(1);
}
