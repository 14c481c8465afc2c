import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { initSync } from "../pkg/weir_wasm.js";
import { rateAt } from "../src/core/rates";
import { resolve, type Resolved } from "../src/core/scenario";
import { Ring } from "../src/run/ring";
import { isClose, type View } from "../src/run/run";
import { changesGoals, delayOf, goals, packetsOf } from "../src/run/targets";
import { Words } from "../src/ui/words";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

const TEXT = `schema = 1
name = "rates"
duration = "30 s"
[links.bottleneck]
rate = "12 Mbit/s"
RATES
delay = "5 ms"
buffer = "100 packets"
mean_packet_size = "1500 B"
queue.pi = { q_ref = "20 packets" }
[flows.cubic]
rtt = "40 ms"
`;
const HALVED = TEXT.replace("RATES", 'rate_schedule = [{ at = "10 s", rate = "6 Mbit/s" }]');
const PORT = "links.bottleneck.forward.";

/** The words beside a queue of 50 packets at an instant. */
function words(resolved: Resolved, time: number): Words {
  const ring = new Ring(["time", `${PORT}queue`], 10);
  ring.push(Float64Array.of(time, 50));
  const view: View = { id: 1, sought: 0, given: { text: "", resolved: resolved, changes: [] }, resolved, ring, port: PORT, now: time, ended: false, here: undefined, marks: [], jain: 1, packets: undefined };
  const all = new Words();
  const context = { font: "", measureText: () => ({ width: 10 }) } as unknown as CanvasRenderingContext2D;
  all.renew(context, view, resolved, 100, 600, false, 0);
  return all;
}

it.each([
  ["a schedule", HALVED],
  ["a change in mid-run", `${TEXT.replace("RATES", "")}[[changes]]\nat = "10 s"\nlinks.bottleneck.rate = "6 Mbit/s"\n`],
])("the words beside a queue follow the rate that halves by %s", (_, text) => {
  const one = resolve(text, null);
  const shown = [0, 9.99, 10, 25].map((time) => words(one, time));
  expect(shown.map(({ rate }) => rate)).toEqual(["12 Mbit/s", "12 Mbit/s", "6 Mbit/s", "6 Mbit/s"]);
  expect(shown.map(({ waiting }) => waiting)).toEqual(["50.0", "50.0", "100", "100"].map((delay) => `50 packets · ${delay} ms to send`));
});

it("rates of a period begin anew", () => {
  const one = resolve(HALVED.replace("delay", 'rate_period = "12 s"\ndelay'), null);
  expect([0, 11, 12, 21.9, 22, 29].map((time) => rateAt(one, time) / 1e6)).toEqual([12, 6, 12, 12, 6, 12]);
  const steady = resolve(TEXT.replace("RATES", ""), null);
  expect([...steady.rates]).toEqual([0, 12e6]);
  expect([rateAt(steady, 0), rateAt(steady, 30)]).toEqual([12e6, 12e6]);
});

it("a target in packets is longer where the rate is lower, and one in time is fewer packets", () => {
  const packets = resolve(HALVED, null);
  const delay = resolve(HALVED.replace(/queue\.pi.*/, 'queue.codel = { target = "5 ms" }'), null);
  const of = (one: Resolved): number[] => goals(one).flatMap((goal) => [delayOf(one, goal, 5), delayOf(one, goal, 15), packetsOf(one, goal, 5), packetsOf(one, goal, 15)]);
  expect(of(packets)).toEqual([0.02, 0.04, 20, 20]);
  expect(of(delay)).toEqual([0.005, 0.005, 5, 2.5]);
  // A length of the queue in time is what the link sends in it at its first rate.
  expect(of(resolve(HALVED.replace("20 packets", "20 ms"), null))).toEqual([0.02, 0.04, 20, 20]);
  expect([packets, delay, resolve(TEXT.replace("RATES", ""), null)].map(changesGoals)).toEqual([true, false, false]);
});

it("packets are seen one by one where the rate is low", () => {
  const one = resolve(HALVED, null);
  expect([5, 15].map((time) => isClose(one, 0.5, time))).toEqual([false, true]);
});
