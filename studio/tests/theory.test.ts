import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { initSync, Scenario } from "../pkg/weir_wasm.js";
import { problemOf } from "../src/core/protocol";
import { resolve } from "../src/core/scenario";
import { Ring } from "../src/run/ring";
import type { View } from "../src/run/run";
import { Picture } from "../src/ui/plots";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

const PORT = "links.bottleneck.forward.";
const TEXT = `
schema = 1
name = "one"
duration = "60 s"
[links.bottleneck]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "500 packets"
queue.rem = { target = "20 packets", ecn = true }
[flows.reno]
count = 60
rtt = "200 ms"
start_jitter = "1 s"
packet_size = "500 B"
tcp.ecn = true
[variants.rem]
[variants.full]
"links.bottleneck.queue.drop-tail" = {}
`;

function fluid(variant: string): { ring: Ring; now: number } {
  const found = new Scenario(TEXT, "one", variant).fluid(0.1);
  const ring = new Ring(found.columns, 1000);
  ring.push(found.rows);
  return { ring, now: ring.last("time") };
}

it("the model comes to the target of an AQM that has one", () => {
  const { ring, now } = fluid("rem");
  expect(now).toBeCloseTo(60);
  expect(ring.columns).toEqual(["time", PORT + "delay", PORT + "signals", PORT + "price", "flows.reno.cwnd"]);
  // Twenty packets of 500 B at 10 Mbit/s; windows of C R / N.
  expect(ring.last(PORT + "delay")).toBeCloseTo(0.008, 4);
  expect(ring.last("flows.reno.cwnd")).toBeCloseTo((2500 * 0.208) / 60, 2);
  // 1 - phi^-price, and 1.5 / W².
  expect(ring.last(PORT + "signals")).toBeCloseTo(1 - 1.001 ** -ring.last(PORT + "price"), 9);
  expect(ring.last(PORT + "signals")).toBeCloseTo(1.5 / ring.last("flows.reno.cwnd") ** 2, 4);
});

it("a queue without a model says why", () => {
  let reason = "";
  try {
    fluid("full");
  } catch (error) {
    reason = problemOf(error).message;
  }
  expect(reason).toMatch(/^no model: DropTail/);
});

it("a plot has a dotted line of it beside that of the run, over all of the time", () => {
  const ring = new Ring(["time", PORT + "waited", PORT + "departures", PORT + "price", "flows.reno.cwnd"], 10);
  for (let time = 0; time < 5; time++) ring.push(Float64Array.of(time, time, 100 * time, 1, 8));
  const view: View = { id: 1, sought: 0, given: { text: "", resolved: resolve(TEXT, "rem"), changes: [] }, resolved: resolve(TEXT, "rem"), ring, port: PORT, now: 4, ended: false, here: undefined, marks: [], jain: 1, packets: undefined };
  const model = fluid("rem");
  const picture = new Picture();
  for (const [kind, inner, label] of [["delay", "", "theory"], ["inner", "signals", "theory"], ["inner", "price", "theory"], ["windows", "", "reno, theory"]] as const) {
    expect(picture.look(kind, inner, [view], [0, 60], 0.1, [model])).toBe(true);
    expect(picture.traces.map(({ group }) => group)).toContain(label);
    const line = picture.lines[picture.traces.findIndex(({ group }) => group === label)]!;
    expect(line[Math.floor(line.length / 2)]).toBeGreaterThan(0);
  }
  // Nothing of theory for what it does not say, and where it is off.
  for (const fluids of [[model], []]) {
    picture.look("goodput", "", [view], [0, 60], 0.1, fluids);
    expect(picture.traces.map(({ group }) => group)).toEqual(["reno"]);
  }
});
