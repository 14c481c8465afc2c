import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { initSync } from "../pkg/weir_wasm.js";
import { START } from "../src/core/library";
import { resolve } from "../src/core/scenario";
import { Ring } from "../src/run/ring";
import type { View } from "../src/run/run";
import { fill, grid, numbers, quantile, rowsAt, since } from "../src/run/series";
import { delayOf, goals } from "../src/run/targets";
import { Picture } from "../src/ui/plots";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

const PORT = "links.bottleneck.forward.";
const COLUMNS = ["time", ...["waited", "departures", "bytes", "drops", "marks", "queue", "came", "at_hand", "peak"].map((name) => PORT + name), "flows.cubic.bytes", "flows.cubic.cwnd"];
/** Every second ten packets leave that waited 20 ms, one is dropped; then five that waited 40 ms. */
function view(until: number, capacity = 100): View {
  const ring = new Ring(COLUMNS, capacity);
  let [waited, departures, drops] = [0, 0, 0];
  for (let time = 0; time <= until; time++) {
    if (time > 0) {
      const leave = time > 10 ? 5 : 10;
      departures += leave;
      waited += leave * (time > 10 ? 0.04 : 0.02);
      drops += 1;
    }
    ring.push(Float64Array.of(time, waited, departures, 1500 * departures, drops, 0, time, 20e6 * time, time < 5 ? 0 : 1e6, 40e6 * time, 1000 * departures, time < 5 ? NaN : 7));
  }
  return { id: 1, sought: 0, given: { text: START, resolved: resolve(START, "a"), changes: [] }, resolved: resolve(START, "a"), ring, port: PORT, now: until, ended: false, here: undefined, marks: [], jain: 1, packets: undefined };
}
const histogram = Float64Array.of(0.01, 5, 0.02, 10, 0.04, 5);
/** A view with the sums of its newest instant, and of a mark. */
function at(of: View, mark?: { at: number; delays: number[] }): View {
  const row = (time: number): Float64Array => Float64Array.from(COLUMNS, (name) => of.ring.value(name, of.ring.at(time)));
  const marks = mark ? [{ at: mark.at, row: row(mark.at), delays: Float64Array.from(mark.delays) }] : [];
  return { ...of, marks, here: { at: of.now, row: row(of.now), delays: histogram } };
}
function line(of: View, edges: number[], above: string[], below?: string[], factor = 1): number[] {
  const rows = new Int32Array(edges.length);
  rowsAt(of, Float64Array.from(edges), rows);
  const values = new Float64Array(edges.length);
  const columns = (names: string[]): Float64Array[] => names.map((name) => of.ring.whole(name));
  fill({ above: columns(above), below: below && columns(below), factor }, rows, values);
  return [...values];
}

describe("edges", () => {
  it("are multiples of a round width, as many wherever the window is", () => {
    const edges = grid(0, 60, 400, 0.02);
    expect([edges[0], edges[1], edges[300]!.toFixed(9)]).toEqual([0, 0.2, "60.000000000"]);
    for (const from of [0.05, 0.2, 13.37, 40]) {
      const moved = grid(from, from + 60, 400, 0.02, edges);
      expect(moved).toBe(edges);
      expect(moved[0]).toBeLessThanOrEqual(from);
      expect(moved[moved.length - 1]).toBeGreaterThanOrEqual(from + 60);
    }
    expect(grid(0, 20, 400, 0.02, edges)).not.toBe(edges);
  });
  it("have rows up to the newest, and none beyond", () => {
    expect(line(view(12), [-1, 0, 3.5, 12, 13], ["time"])).toEqual([NaN, 0, 3, 12, NaN]);
    // Of a hundred rows the last ten are all there, older ones further apart.
    expect(line(view(99, 10), [32, 47, 90, 95.5, 99], ["time"])).toEqual([32, 32, 90, 95, 99]);
  });
});

describe("lines", () => {
  it("are the growth of a sum per growth of another, at the right edge of the bin", () => {
    const mean = line(view(14), [0, 5, 10, 12, 14, 16], [PORT + "waited"], [PORT + "departures"], 1000);
    expect(mean.map((value) => Math.round(value))).toEqual([NaN, 20, 20, 40, 40, NaN]);
    const part = line(view(14), [0, 10, 12], [PORT + "drops", PORT + "marks"], [PORT + "departures", PORT + "drops"], 100);
    expect(part[1]).toBeCloseTo(100 / 11);
    expect(part[2]).toBeCloseTo(100 / 6);
    expect(line(view(3), [1, 2], [PORT + "drops"], [PORT + "marks"])).toEqual([NaN, NaN]);
    expect(line(view(3), [1, 2], [PORT + "missing"])).toEqual([NaN, NaN]);
  });
  it("say whether they have changed, and are written in place", () => {
    const picture = new Picture();
    const run = view(8);
    expect(picture.look("delay", "", [run], [0, 20], 1)).toBe(true);
    const [known, times] = [picture.lines[0], picture.times];
    expect(picture.look("delay", "", [run], [0, 20], 1)).toBe(false);
    run.ring.push(Float64Array.of(9, 2.2, 92, 0, 9, 0, 3, 180e6, 1e6, 360e6, 0, 7));
    run.now = 9;
    expect(picture.look("delay", "", [run], [0, 20], 1)).toBe(true);
    expect([picture.lines[0], picture.times]).toEqual([known, times]);
    expect(picture.lines[0]).toBe(known);
    // Another run, or another variable.
    expect(picture.look("delay", "", [view(9)], [0, 20], 1)).toBe(true);
    expect(picture.look("goodput", "", [view(9)], [0, 20], 1)).toBe(true);
    expect(picture.traces).toEqual([{ label: "DropTail: cubic", variant: 0, group: "cubic", dash: [] }]);
  });
  it("of windows are there as soon as one is known", () => {
    const picture = new Picture();
    picture.look("windows", "", [view(3)], [0, 20], 1);
    expect(picture.lines).toHaveLength(0);
    picture.look("windows", "", [view(6)], [0, 20], 1);
    expect([...picture.lines[0]!].slice(4, 8)).toEqual([NaN, 7, 7, NaN]);
  });
});

describe("numbers", () => {
  it("count delays since the end of the warm-up", () => {
    const run = at(view(20), { at: 6, delays: [0.01, 5, 0.02, 2] });
    const bins = since(run);
    expect([bins.length, bins.total, bins.edges[0], bins.counts[0]]).toEqual([2, 13, 0.02, 8]);
    expect([0.5, 8 / 13, 0.7, 1].map((part) => quantile(bins, part))).toEqual([0.02, 0.02, 0.04, 0.04]);
    // The same room is used again.
    expect(since({ ...run, marks: [] }, bins)).toBe(bins);
    expect([bins.length, bins.total]).toEqual([3, 20]);
    expect(quantile(since({ ...run, here: undefined }), 0.99)).toBeNaN();
  });
  it("are of the time since the end of the warm-up", () => {
    const run = at(view(20));
    expect(run.resolved.warmUp).toBe(5);
    const found = numbers(run, since(run));
    // After 5 s: 50 packets of 20 ms, then 50 of 40 ms; 15 drops.
    expect(found.mean).toBeCloseTo(0.03);
    expect(found.loss).toBeCloseTo(15 / 115);
    // Twenty million bits a second, and a million that the bucket held.
    expect(found.utilisation).toBeCloseTo((100 * 1500 * 8) / (15 * 20e6 + 1e6), 6);
    expect(found.goodput[0]).toBeCloseTo((8 * 100 * 1000) / 15);
    expect([found.queue, found.now]).toEqual([20, expect.closeTo(0.04)]);
    expect(found.since).toBe(5);
  });
  it("are of the time since the last change", () => {
    const run = at(view(20), { at: 12, delays: [0.01, 5, 0.02, 10] });
    const found = numbers(run, since(run));
    expect([found.since, found.mean, found.p99]).toEqual([12, expect.closeTo(0.04), 0.04]);
  });
  it("know the levels of a discipline that has some", () => {
    const levels = (queue: string): [string, number][] => {
      const one = resolve(START.replace("queue.drop-tail = {}", `queue.${queue}`), "a");
      return goals(one).map((goal) => [goal.name, Number((1000 * delayOf(one, goal, 0)).toPrecision(6))]);
    };
    expect(["drop-tail = {}", "modular = {}", "avq = {}"].flatMap(levels)).toEqual([]);
    expect(["codel = {}", "pie = {}", "dualpi2 = {}", "fq.aqm.codel = { target = \"7 ms\" }"].map(levels)).toEqual([[["target", 5]], [["target", 15]], [["target", 15]], [["target", 7]]]);
    // A packet of 1500 bytes is 0.6 ms on 20 Mbit/s.
    expect(levels('rem.target = "20 packets"')).toEqual([["target", 12]]);
    expect(levels('red = { min_th = "20 packets", max_th = "80 packets" }')).toEqual([["min_th", 12], ["max_th", 48]]);
    // Adaptive RED holds its average in the middle fifth between its thresholds, whatever its target delay is.
    expect(levels('adaptive-red = { min_th = "20 packets", max_th = "80 packets" }')).toEqual([["target", 26.4], ["target", 33.6]]);
    expect(levels("adaptive-red = {}")).toEqual([["target", 5.4], ["target", 6.6]]);
  });
});

describe("goodput in slow motion", () => {
  it("is no more than the link, however narrow the bins", () => {
    // A packet of 1500 B every 0.6 ms, received as a whole, on a link of 20 Mbit/s; rows every 0.25 ms, a bin each.
    const ring = new Ring(["time", "flows.cubic.bytes"], 4000);
    for (let row = 1; row <= 2000; row++) ring.push(Float64Array.of(row * 0.00025, 1500 * Math.floor((row * 0.00025) / 0.0006 + 1e-9)));
    const run: View = { ...view(20), ring, now: 0.5 };
    const picture = new Picture();
    picture.look("goodput", "", [run], [0.4, 0.42], 0.00025);
    const known = [...picture.lines[0]!].filter((value) => !Number.isNaN(value));
    expect(known.length).toBeGreaterThan(30);
    expect(Math.max(...known)).toBeLessThan(20.3);
    expect(Math.min(...known)).toBeGreaterThan(19.7);
  });
});
