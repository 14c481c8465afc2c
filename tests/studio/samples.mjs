// Runs the scenario that comes as JSON on stdin and writes its rows as the page saves them: CSV, every `every` seconds.
import { readFileSync } from "node:fs";
import { initSync, Scenario } from "../../studio/pkg/weir_wasm.js";

initSync({ module: readFileSync(new URL("../../studio/pkg/weir_wasm_bg.wasm", import.meta.url)) });

const { text, variant, every } = JSON.parse(readFileSync(0, "utf8"));
const scenario = new Scenario(text, "scenario", variant);
const simulation = scenario.simulate(scenario.seed);
const columns = simulation.columns();
simulation.sample(scenario.duration, every);
const rows = simulation.take();
console.log(columns.join());
for (let at = 0; at < rows.length; at += columns.length) console.log(rows.slice(at, at + columns.length).join());
