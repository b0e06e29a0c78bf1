#!/usr/bin/env node
// Runs the program of this platform, which is in a package of its own.
"use strict";
const { spawn } = require("node:child_process");

const name = `@quarry-search/quarry-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/quarry${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`quarry: ${name} is not installed: npm was told to leave out optional packages, or there is none for this platform`);
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal interrupts both. Whoever ends this process alone means the program.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (err) => {
  console.error(`quarry: ${err.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
