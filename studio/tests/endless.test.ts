/** Runs without an end: what is kept of them is bounded, and the numbers are those of all packets. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { initSync, jain_index, Scenario } from "../pkg/weir_wasm.js";
import type { Reply, Request } from "../src/core/protocol";
import { resolve, withVariant, type Resolved } from "../src/core/scenario";
import type { Source } from "../src/run/feed";
import { markAt, newest, Run, shownAt } from "../src/run/run";
import { between, counted, numbers, quantile, since, sumsAt, sumsOf } from "../src/run/series";

/** Simulated hours; `make soak` has more. */
const HOURS = Number(process.env.WEIR_HOURS ?? 0.2);
const START = readFileSync(new URL("../src/core/start.toml", import.meta.url), "utf8");
const bytes = readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url));
const PORT = "links.bottleneck.forward.";

let text = "";
beforeAll(() => {
  initSync({ module: bytes });
  text = withVariant(START, "c", resolve(START, "a"), "pie");
});

/** The worker of the page, in this thread, and the size of its module's memory. */
async function worker(): Promise<{ source: Source; memory: () => number }> {
  vi.resetModules();
  const self: { onmessage?: (event: { data: Request }) => void; postMessage: (data: Reply) => void } = {
    postMessage: (data) => void source.onmessage?.call(source as Worker, new MessageEvent<Reply>("message", { data })),
  };
  vi.stubGlobal("self", self);
  const source: Source = { onmessage: null, onerror: null, postMessage: (data: Request) => void setTimeout(() => own(data), 0), terminate: () => undefined };
  const { initSync: start } = (await import("../pkg/weir_wasm.js")) as unknown as { initSync: typeof initSync };
  const { memory } = start({ module: bytes });
  await import("../src/worker");
  // Its `self` is asked for as it answers, when another worker may have been made.
  const own = (data: Request): void => {
    vi.stubGlobal("self", self);
    self.onmessage!({ data });
  };
  return { source, memory: () => memory.buffer.byteLength };
}

/** Frames of the page until a run is at `goal`. */
async function frames(run: Run, goal: number, every: (now: number) => number, speed = Infinity, done = (): boolean => (run.view?.now ?? 0) >= goal - 1e-9): Promise<void> {
  while (!done()) {
    const distance = every(run.reached);
    run.advance(goal, speed < 1 ? speed / 60 : distance, distance, speed);
    await new Promise((go) => setTimeout(go, 0));
    expect([run.trap, run.problem]).toEqual([undefined, undefined]);
  }
}

/** The distance of rows, as the page has it. */
const coarse = (time: number): number => Math.max(0.02, time / 5000);

/** The sums of a run without pauses at these instants (s), and those of each flow. */
function exact(one: Resolved, instants: number[]): { row: Float64Array; delays: Float64Array; received: Float64Array }[] {
  const scenario = new Scenario(text, "exact", one.variant);
  const run = scenario.simulate_on(scenario.seed);
  return instants.map((at) => {
    run.advance(at);
    return { row: run.row(), delays: run.delays(one.place), received: run.received(one.warmUp) };
  });
}

describe.each(["a", "b", "c"])(`${HOURS} hours of %s`, (variant) => {
  it("hold as many bytes at the end as after ten minutes, and their numbers are those of all packets", async () => {
    const resolved = resolve(text, variant);
    const { source, memory } = await worker();
    const run = new Run(() => source);
    const goal = 3600 * HOURS;
    run.load(text, resolved, []);
    await frames(run, 600, coarse);
    const view = run.view!;
    const held = (): number[] => [view.ring.bytes, view.marks.length, memory()];
    const [ring, marks, module] = held();
    await frames(run, goal, coarse);
    run.seek(goal);
    await frames(run, goal, coarse);
    expect(run.view).toBe(view);
    expect(held().slice(0, 2)).toEqual([ring, marks]);
    expect(memory()).toBeLessThanOrEqual(1.05 * module!);
    // Three of these, and what the page needs besides, are far from what a browser gives.
    expect(view.ring.bytes).toBeLessThan(8e6);

    const [from, half, to] = exact(resolved, [resolved.warmUp, goal / 2, goal]) as [ReturnType<typeof exact>[0], ReturnType<typeof exact>[0], ReturnType<typeof exact>[0]];
    const { columns } = view.ring;
    const bins = between(from.delays, to.delays);
    const jain = jain_index(to.received, from.received);
    const found = numbers(view, since(view));
    expect(markAt(view, goal)!.at).toBe(resolved.warmUp);
    expect(shownAt(view)).toBeCloseTo(goal, 6);
    expect(found).toMatchObject(counted(view, sumsOf(columns, from.row), sumsOf(columns, to.row), bins, jain));
    expect(found.p99).toBe(quantile(bins, 0.99));

    // A span between samples of the thinned past: no further off than the distance of the samples says.
    const { step, until } = view.ring.coarse;
    expect(until).toBeGreaterThan(240);
    expect(step).toBeLessThan(goal / 2000);
    const whole = counted(view, sumsAt(view, resolved.warmUp), sumsAt(view, goal / 2), bins, NaN);
    const all = counted(view, sumsOf(columns, from.row), sumsOf(columns, half.row), bins, NaN);
    const off = (3 * Math.max(step, coarse(goal))) / (goal / 2 - resolved.warmUp);
    for (const name of ["mean", "utilisation"] as const) expect(Math.abs(whole[name] / all[name] - 1), name).toBeLessThan(off);
  });
});

it("goes back to an instant: the past is there at once, its packets after the run has come there again, and all goes on the same", async () => {
  const resolved = resolve(text, "b");
  const { source } = await worker();
  const run = new Run(() => source);
  run.load(text, resolved, []);
  await frames(run, 20, coarse);
  const view = run.view!;
  const before = view.ring.column("time").slice();
  run.seek(12.5);
  expect([shownAt(view), newest(view)]).toEqual([12.5, 20]);
  expect(numbers(view, since(view)).queue).toBe(view.ring.value(`${PORT}queue`, view.ring.at(12.5)));
  await frames(run, 12.5, coarse, 0.01, () => view.now >= 12.5 - 1e-9 && view.packets !== undefined);
  expect(run.view).toBe(view);
  expect(view.packets!.waiting.length + view.packets!.strangers).toBeCloseTo(view.ring.value(`${PORT}queue`, view.ring.at(12.5)), -1);
  const [from, to] = exact(resolved, [resolved.warmUp, 12.5]);
  expect(numbers(view, since(view))).toMatchObject(counted(view, sumsOf(view.ring.columns, from!.row), sumsOf(view.ring.columns, to!.row), between(from!.delays, to!.delays), jain_index(to!.received, from!.received)));
  // On from there: what is known stays, what comes is new.
  await frames(run, 21, coarse, 5);
  expect([...view.ring.column("time").subarray(0, before.length)]).toEqual([...before]);
  const last = exact(resolved, [21])[0]!;
  expect(view.here!.row).toEqual(last.row);
});
