#!/usr/bin/env node
"use strict";
// Starts the binary of this platform, with the same arguments, files and exit code.
const { spawnSync } = require("child_process");

const name = `@kukla/${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/kukla`);
} catch {
  console.error(`kukla: the package ${name} is not installed`);
  console.error("  help: binaries exist for linux-x64 and linux-arm64; if yours is one of them, install without --omit=optional");
  process.exit(2);
}
const done = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
if (done.error) {
  console.error(`kukla: cannot run ${binary}: ${done.error.message}`);
  process.exit(2);
}
if (done.signal) process.kill(process.pid, done.signal);
process.exit(done.status);
