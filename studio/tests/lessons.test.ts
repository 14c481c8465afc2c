import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { initSync, Scenario } from "../pkg/weir_wasm.js";
import { LESSONS } from "../src/core/lessons";
import { START } from "../src/core/library";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

/** By how much sums grow from `from` to three times that (s). */
function grown(text: string, variant: string, from = 10): (column: string) => number {
  const simulation = new Scenario(text, "lesson", variant).simulate(1n);
  const columns = simulation.columns();
  simulation.sample(3 * from, from);
  const rows = simulation.take();
  return (column) => {
    const place = columns.indexOf(column);
    return rows[2 * columns.length + place]! - rows[place]!;
  };
}
const QUEUE = "links.bottleneck.forward.";
const delay = (of: (column: string) => number): number => of(QUEUE + "waited") / of(QUEUE + "departures");
const lesson = (id: string): string => LESSONS.find((one) => one.id === id)!.scenario;

describe("lessons", () => {
  it("are ten, and short", () => {
    expect(LESSONS).toHaveLength(10);
    for (const one of LESSONS) {
      expect(one.text.split(/[.!?](?:\s|$)/).filter(Boolean).length, one.id).toBeLessThanOrEqual(3);
      expect(one.question, one.id).toMatch(/\?/);
    }
  });
  it.each(LESSONS.map((one) => [one.id, one] as const))("%s is a valid scenario with the variable that it shows", (_, one) => {
    const scenario = new Scenario(one.scenario, one.id);
    expect(scenario.variants.slice(0, 2)).toEqual(["a", "b"]);
    const columns = scenario.variants.flatMap((variant) => new Scenario(one.scenario, one.id, variant).simulate(1n).columns());
    if (one.inner) expect(columns).toContain(QUEUE + one.inner);
  });
  it("start with a queue that CoDel keeps at least ten times as short", () => {
    expect(delay(grown(START, "a"))).toBeGreaterThan(10 * delay(grown(START, "b")));
  });
  it("protect TCP from the flood by fair queueing only", () => {
    const [a, b] = [grown(lesson("flood"), "a"), grown(lesson("flood"), "b")];
    expect(b("flows.tcp.bytes")).toBeGreaterThan(3 * a("flows.tcp.bytes"));
  });
  it("mark in place of drops with ECN", () => {
    const [a, b] = [grown(lesson("ecn"), "a"), grown(lesson("ecn"), "b")];
    expect(a(QUEUE + "marks")).toBe(0);
    expect(b(QUEUE + "marks")).toBeGreaterThan(100);
    expect(b(QUEUE + "drops")).toBeLessThan(a(QUEUE + "drops") / 10);
  });
  it("give far flows less, unless flows have queues of their own", () => {
    const share = (of: (column: string) => number): number => of("flows.far.bytes") / of("flows.near.bytes");
    expect(share(grown(lesson("rtt"), "a"))).toBeLessThan(0.5);
    expect(share(grown(lesson("rtt"), "b"))).toBeGreaterThan(0.6);
  });
  it("double the flows: RED's queue rises, REM's does not", () => {
    const twice = lesson("rem").replace("count = 30", "count = 60");
    const growth = (variant: string): number => delay(grown(twice, variant, 33)) / delay(grown(lesson("rem"), variant, 33));
    expect([growth("a"), growth("b")]).toEqual([expect.closeTo(1.5, 0), expect.closeTo(1, 1)]);
  });
  it("let scalable flows displace classic ones in one queue, not with DualPI2", () => {
    const share = (of: (column: string) => number): number => of("flows.classic.bytes") / of("flows.scalable.bytes");
    expect(share(grown(lesson("dualpi2"), "a"))).toBeLessThan(0.4);
    expect(share(grown(lesson("dualpi2"), "b"))).toBeGreaterThan(0.5);
  });
  it("lose throughput with an interval of CoDel below the round-trip time", () => {
    const [a, b] = [grown(lesson("codel"), "a"), grown(lesson("codel"), "b")];
    expect(b(QUEUE + "bytes")).toBeLessThan(0.95 * a(QUEUE + "bytes"));
  });
});
