// Runs the scenarios that come as JSON lines on stdin, and writes for each a digest of its tables.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { initSync, Scenario } from "../../studio/pkg/weir_wasm.js";

initSync({ module: readFileSync(new URL("../../studio/pkg/weir_wasm_bg.wasm", import.meta.url)) });

const bytes = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** The bytes of a column: of numbers, of names with their codes, or of lists with their lengths. */
function parts(column) {
  if (column.codes) return [JSON.stringify(column.names), bytes(column.codes)];
  if (column.lengths) return [bytes(column.values), bytes(column.lengths)];
  return [bytes(column)];
}

function digest(tables) {
  const hash = createHash("sha256");
  for (const [table, columns] of Object.entries(tables)) {
    for (const [name, column] of Object.entries(columns)) {
      hash.update(`${table}.${name}`);
      parts(column).forEach((part) => hash.update(part));
    }
  }
  return hash.digest("hex");
}

/** A run looked at on the way, at instants that nothing else depends on. */
function lookedAt(scenario, seed) {
  const run = scenario.simulate(seed);
  run.sample(scenario.duration / 3, scenario.duration / 97);
  run.advance(scenario.duration / 2);
  run.sample(scenario.duration, scenario.duration / 7);
  return run.finish();
}

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const { text, name, variant, seed, looks } = JSON.parse(line);
  try {
    const scenario = new Scenario(text, name, variant ?? undefined);
    // Pauses are no part of the results, but they are events.
    const tables = looks ? lookedAt(scenario, BigInt(seed)) : scenario.simulate(BigInt(seed)).finish();
    if (looks !== null) delete tables.runs.events;
    console.log(digest(tables));
  } catch (error) {
    console.log(`error: ${error.message}`);
  }
}
