import assert from "node:assert/strict";
import { test } from "node:test";
import { serverCommand, summary } from "../src/server.js";

test("the settings become arguments", () => {
  assert.deepEqual(serverCommand({ path: "", log: "", node: null }), { command: "kukla", args: ["lsp"] });
  const all = serverCommand({ path: "/opt/kukla", log: "/tmp/log", node: "web1" });
  assert.deepEqual(all, { command: "/opt/kukla", args: ["lsp", "--node", "web1", "--log", "/tmp/log"] });
});

test("a difference is one sentence", () => {
  assert.equal(summary({ counts: { nodes: 3, changed: 0, breaks: 0 } }), "The unsaved changes affect none of 3 nodes.");
  assert.match(summary({ counts: { nodes: 3, changed: 1, breaks: 1 } }), /1 of 3 nodes, and 1 no longer compile/);
});
