import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const program = join(dirname(fileURLToPath(import.meta.url)), "../../../bin/quarry");

/** A port that is free now. */
export function freePort() {
  return new Promise((done, fail) => {
    const s = createServer();
    s.once("error", fail);
    s.listen(0, "127.0.0.1", () => {
      const { port } = s.address();
      s.close(() => done(port));
    });
  });
}

/**
 * Starts bin/quarry for roots, and waits until it says that it is ready, or, with
 * `o.early`, until it listens. `o.args` are more arguments, `o.port` and `o.data` those of an earlier server.
 */
export async function serve(roots, o = {}) {
  const port = o.port ?? (await freePort());
  const data = o.data ?? mkdtempSync(join(tmpdir(), "quarry-journeys-data-"));
  const child = spawn(program, ["serve", ...[roots].flat(), "--port", String(port), "--data-dir", data, "--tldr-socket=false", ...(o.args ?? [])], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  const ended = new Promise((done) => child.once("exit", done));
  await new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => fail(new Error(`quarry serve ended with ${code}: ${said}`)));
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
      if (said.includes(o.early ? "serving " : "ready, ")) done();
    });
  });
  const stop = async (keep = false) => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await ended;
    if (!keep) rmSync(data, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${port}`, port, data, stop };
}
