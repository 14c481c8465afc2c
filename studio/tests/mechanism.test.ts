/** How queues decide: what the pictures show is what the simulator does. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { initSync, Scenario, type Simulation } from "../pkg/weir_wasm.js";
import { resolve } from "../src/core/scenario";
import { kindsOf, lanesOf, partsOf, restOf, told } from "../src/run/mechanism";
import { Ring } from "../src/run/ring";
import type { View } from "../src/run/run";
import { counted, sumsAt } from "../src/run/series";
import { Picture } from "../src/ui/plots";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

const PORT = "links.bottleneck.forward.";
const text = (queue: string): string => `schema = 1
name = "mechanism"
duration = "20 s"
[links.bottleneck]
rate = "8 Mbit/s"
delay = "10 ms"
buffer = "100 packets"
queue.${queue}
[flows.many]
count = 9
rtt = "40 ms"
[flows.one]
rtt = "80 ms"
tcp.ecn = true
`;

/** The page's view of a run up to `until` (s), with so many of the longest queues. */
function seen(queue: string, until = 5, most = 8): { view: View; run: Simulation; of: (name: string) => number } {
  const scenario = new Scenario(text(queue), "mechanism");
  const run = scenario.simulate(1n);
  const ring = new Ring(run.columns(), 1000);
  run.sample(until, 0.01);
  ring.push(run.take());
  const { variable, dot, curve, queues } = run.mechanism(0, most);
  const resolved = resolve(text(queue), null);
  const mechanism = { at: until, variable, dot, curve, queues };
  const view: View = { id: 1, sought: 0, given: { text: text(queue), resolved, changes: [] }, resolved, ring, port: PORT, now: until, ended: false, here: undefined, marks: [], jain: 1, packets: undefined, mechanism };
  return { view, run, of: (name) => ring.last(PORT + name) };
}
/** The curve at a value, along its points. */
function at(curve: Float64Array, value: number): number {
  const points = curve.length - 2;
  const place = (value / curve[0]!) * points;
  const before = Math.min(points - 1, Math.floor(place));
  return curve[1 + before]! + (place - before) * (curve[2 + before]! - curve[1 + before]!);
}

describe.each(["red = {}", "red = { gentle = true, ecn = true }", "nlred = {}", "adaptive-red = {}", "feng-red = {}", "op-red = {}", "choke = {}", "rem = {}", "modular = {}", "ack-filter = { aqm.red = {} }"])("the curve of %s", (queue) => {
  it("has its dot where the queue is, with the probability that the AQM has there", () => {
    const { view, of } = seen(queue);
    const { variable, dot, curve } = view.mechanism!;
    expect(kindsOf(view)).toEqual(["curve"]);
    expect(dot[0]).toBe(of(variable!));
    expect(dot[1]).toBeCloseTo(of("probability"), 12);
    expect(dot[0]).toBeGreaterThan(0);
    expect(at(curve, dot[0]!)).toBeCloseTo(dot[1]!, 2);
  });
});

it("the curves are those of the papers", () => {
  // RED's worked example; gentle RED, half way from max_th to its double; NLRED's parabola of 1.5 max_p.
  const levels = 'min_th = "5 packets", max_th = "15 packets", max_p = 0.1';
  const curve = (queue: string): Float64Array => seen(queue, 0.001).view.mechanism!.curve;
  expect(at(curve(`red = { ${levels} }`), 10)).toBeCloseTo(0.05, 6);
  expect(at(curve(`red = { ${levels}, gentle = true }`), 22.5)).toBeCloseTo(0.55, 6);
  expect(at(curve(`nlred = { ${levels} }`), 10)).toBeCloseTo(0.15 / 4, 4);
  expect(at(curve("rem = { phi = 1.001 }"), 50)).toBeCloseTo(1 - 1.001 ** -50, 6);
  const step = curve('step = { threshold = "20 packets" }');
  expect([at(step, 19), at(step, 21)]).toEqual([0, 1]);
  // A full virtual buffer, of 100 packets.
  const full = curve("avq = {}");
  expect([at(full, 98.5 * 1500), at(full, 99.5 * 1500)]).toEqual([0, 1]);
});

it("HRED's dot lies on its line, which moves", () => {
  const { view, of } = seen("hred = {}");
  const { variable, dot, curve } = view.mechanism!;
  expect([variable, dot[0]]).toEqual(["queue", of("queue")]);
  expect(at(curve, dot[0]!)).toBeCloseTo(dot[1]!, 6);
  expect(at(curve, 50)).toBeCloseTo(of("p_max"), 6);
});

describe.each(["fq-codel = {}", "fq = { aqm.red = {} }", 'cake = { tins = "diffserv4" }'])("the queues of %s", (queue) => {
  it("add up to the queue, and the rest is told", () => {
    const all = seen(queue, 5, 1000);
    const [number, packets, ...rows] = all.view.mechanism!.queues;
    expect(packets).toBe(all.of("queue"));
    expect(number).toBeGreaterThan(1);
    expect(rows.filter((_, place) => place % 5 === 3).reduce((sum, one) => sum + one, 0)).toBe(packets);
    // Both groups have flows there.
    for (let place = 0; place < rows.length; place += 5) expect(rows[place + 1]).toBe(rows[place + 2]! < 9 ? 0 : 1);
    const { view } = seen(queue, 5, 1);
    expect(kindsOf(view)).toEqual(["lanes"]);
    const shown = lanesOf(view).flatMap(({ parts }) => parts.filter(({ group }) => group !== undefined));
    expect(shown).toHaveLength(1);
    const { queues, packets: left } = restOf(view);
    expect(queues).toBe(number! - 1);
    expect(left + shown.reduce((sum, one) => sum + one.packets, 0)).toBe(packets);
  });
});

it("DualPI2's two queues add up, and are those of its classes", () => {
  const { view, of } = seen("dualpi2 = {}");
  expect(kindsOf(view)).toEqual(["lanes", "probability"]);
  const lanes = lanesOf(view);
  expect(lanes.map(({ name, packets }) => [name, packets])).toEqual([["L", of("L")], ["C", of("C")]]);
  expect(lanes.reduce((sum, { packets }) => sum + packets, 0)).toBe(of("queue"));
  expect(told(view, "lanes")).toBe(`L ${of("L")}, C ${of("C")} packets`);
});

it("CoDel says when it may signal next", () => {
  const words = new Set<string>();
  for (let until = 1; until < 3; until += 0.1) {
    const { view, of } = seen("codel = {}", until);
    expect(kindsOf(view)).toEqual(["next"]);
    const said = told(view, "next");
    words.add(said.replace(/[\d.]+/g, "n"));
    // At the very next departure, or later.
    if (of("dropping") > 0) expect(said).toContain(`signal ${of("count") + 1} `);
  }
  expect(words).toContain("signal n follows in n ms");
});

it("a queue without a mechanism, and a live run without its data, draw nothing", () => {
  expect(kindsOf(seen("drop-tail = {}").view)).toEqual([]);
  expect(kindsOf(seen("pie = {}").view)).toEqual(["probability"]);
  // A live run has counts alone.
  const ring = new Ring(["time", PORT + "departures", PORT + "waited"], 10);
  ring.push(Float64Array.of(5, 1, 1));
  const live = { ...seen("red = {}").view, ring, mechanism: null };
  expect(kindsOf(live)).toEqual([]);
  expect(lanesOf(live)).toEqual([]);
  // The past is not drawn with the mechanism of now.
  const back = seen("fq-codel = {}").view;
  expect(lanesOf({ ...back, now: 0, sought: 2 })).toEqual([]);
});

it("flow groups and classes share the delay and the goodput of the queue", () => {
  const { view, of } = seen("dualpi2 = {}");
  expect(partsOf(view)).toEqual({ classes: ["L", "C"], groups: ["many", "one"] });
  for (const kind of ["class", "group"] as const) {
    for (const sum of ["departures", "waited", "bytes"]) {
      const names = kind === "class" ? ["L", "C"] : ["many", "one"];
      expect(names.reduce((all, name) => all + of(`${kind}.${name}.${sum}`), 0)).toBeCloseTo(of(sum), 9);
    }
  }
  const { parts, goodput } = counted(view, sumsAt(view, 2), sumsAt(view, 5), { edges: new Float64Array(), counts: new Float64Array(), length: 0, total: 0 }, NaN);
  expect(parts.map(({ kind, name }) => `${kind} ${name}`)).toEqual(["group many", "group one", "class L", "class C"]);
  expect(parts.slice(0, 2).map(({ rate }) => rate)).toEqual(goodput);
  const picture = new Picture();
  for (const by of ["group", "class"]) {
    picture.look("delay", by, [view], [0, 5], 0.01);
    expect(picture.traces.map(({ group }) => group)).toEqual(by === "group" ? ["many", "one"] : ["L", "C"]);
  }
  // One group alone is all packets.
  expect(partsOf(seen("red = {}").view).groups).toEqual(["many", "one"]);
});

it("the window of a flow is that of its sender", () => {
  const { view, run } = seen("red = {}");
  // Flows are numbered group by group: the last one is alone in its group.
  const [cwnd, srtt] = run.window(9);
  expect(cwnd).toBe(view.ring.last("flows.one.cwnd"));
  expect(srtt).toBeGreaterThan(0.08);
  expect(run.window(1000)).toHaveLength(0);
});
