import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { initSync, Scenario } from "../pkg/weir_wasm.js";
import type { Network } from "../src/core/scenario";
import { Packets } from "../src/run/packets";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

const TEXT = `schema = 1
name = "packets"
duration = "10 s"
[links.bottleneck]
rate = "5 Mbit/s"
delay = "10 ms"
buffer = "30 packets"
queue.QUEUE
[flows.marked]
count = 3
rtt = "40 ms"
tcp.ecn = true
[flows.dropped]
count = 3
rtt = "40 ms"
`;

describe.each(["red = { ecn = true }", "codel = { ecn = true }", "fq-codel = {}", "drop-tail = {}"])("packets at a queue with %s", (queue) => {
  let groups: string[] = [];

  /** Steps of 10 ms from 2 s on, and what the columns of the queue say. */
  function* followed(): Generator<{ now: number; packets: Packets; row: (name: string) => number }> {
    const scenario = new Scenario(TEXT.replace("QUEUE", queue), "packets");
    groups = (JSON.parse(scenario.network()) as Network).groups.map((group) => group.name);
    const simulation = scenario.simulate(1n);
    const columns = simulation.columns();
    simulation.sample(2, 0.01);
    let rows = simulation.take().slice(-columns.length);
    const row = (name: string): number => rows[columns.indexOf(`links.bottleneck.forward.${name}`)]!;
    simulation.follow(0, true);
    const packets = new Packets(row("queue"));
    for (let now = 2.01; now < 4; now += 0.01) {
      simulation.sample(now + 1e-6, 0.01);
      rows = simulation.take().slice(-columns.length);
      packets.take(simulation.steps(0));
      yield { now, packets, row };
    }
  }

  it("those that wait are as many as the simulator counts, once those from before have left", () => {
    let compared = 0;
    for (const { packets, row } of followed()) {
      if (packets.strangers > 0) continue;
      // Up to a packet that moves in the microsecond between.
      expect(Math.abs(packets.waiting.length - row("queue"))).toBeLessThanOrEqual(1);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(100);
  });

  it("each packet that is sent, marked or dropped is counted, and each ACK takes the way back", () => {
    let last: { packets: Packets; row: (name: string) => number } | undefined;
    let before: Record<string, number> | undefined;
    for (const now of followed()) {
      before ??= { departures: now.row("departures") - now.packets.sent.length, drops: now.row("drops") - now.packets.dropped.length };
      last = now;
    }
    expect(last!.packets.sent.length).toBeCloseTo(last!.row("departures") - before!.departures!, -0.5);
    expect(Math.abs(last!.packets.dropped.length - last!.row("drops") + before!.drops!)).toBeLessThanOrEqual(1);
    // Those on the way when following began are seen only as they arrive.
    const acks = last!.packets.acks.filter((ack) => ack.until > ack.from);
    expect(acks.length).toBeGreaterThan(100);
    expect(last!.packets.acks.length - acks.length).toBeLessThan(30);
    if (queue.includes("ecn")) expect(last!.packets.sent.some((one) => one.marked && one.group === groups.indexOf("marked"))).toBe(true);
  });

  it("what is over is forgotten", () => {
    for (const { now, packets } of followed()) {
      packets.forget(now, 0.01, 0.1);
      expect(packets.sent.length + packets.dropped.length + packets.acks.length).toBeLessThan(300);
    }
  });
});
