import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { initSync, jain_index, Scenario } from "../pkg/weir_wasm.js";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

const TEXT = `schema = 1
name = "fairness"
duration = "8 s"
measure.warm_up = "3 s"
[links.bottleneck]
rate = "5 Mbit/s"
delay = "5 ms"
buffer = "40 packets"
[flows.near]
count = 3
rtt = "20 ms"
[flows.far]
count = 3
rtt = "80 ms"
[flows.late]
start = "4 s"
rtt = "20 ms"
[flows.datagrams]
rtt = "20 ms"
traffic.cbr.rate = "200 kbit/s"
`;

it("Jain's index at the end is that of the tables", () => {
  const simulation = new Scenario(TEXT, "fairness").simulate(1n);
  simulation.advance(3);
  const before = simulation.received(3);
  simulation.advance(8);
  const index = jain_index(simulation.received(3), before);
  const tables = simulation.finish() as { groups: { jain: Float64Array } };
  expect(index).toBeCloseTo(tables.groups.jain[0]!, 12);
  expect(index).toBeLessThan(0.95);
});

it("is 1 for equal shares and 1/n for one of n", () => {
  const none = new Float64Array(4);
  expect(jain_index(new Float64Array(4).fill(7), none)).toBe(1);
  expect(jain_index(Float64Array.of(7, 0, 0, 0), none)).toBe(0.25);
  expect(jain_index(Float64Array.of(7, 7, NaN, 7), none)).toBe(1);
});
