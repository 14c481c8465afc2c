/** A run and its worker: whatever is asked, and whenever, the newest scenario is shown at last, and never another one's data. */
import { readFileSync } from "node:fs";
import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import { initSync } from "../pkg/weir_wasm.js";
import type { Reply, Request } from "../src/core/protocol";
import { resolve, type Resolved } from "../src/core/scenario";
import type { Source } from "../src/run/feed";
import { Clock } from "../src/run/clock";
import { Run } from "../src/run/run";

const START = readFileSync(new URL("../src/core/start.toml", import.meta.url), "utf8");
let resolved: Resolved;

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
  resolved = resolve(START, "a");
});

/**
 * A worker that works when the test lets it, and whose replies arrive when the test lets them: in the middle of a course it
 * may have been asked for another scenario already. Its rows have the number of the text that it runs.
 */
class Scripted implements Source {
  onmessage: Source["onmessage"] = null;
  onerror: Source["onerror"] = null;
  ended = false;
  private waiting: Request[] = [];
  private sent: Reply[] = [];
  private loaded = { id: 0, text: "" };
  private now = 0;

  postMessage(request: Request): void {
    this.waiting.push(request);
  }

  terminate(): void {
    this.ended = true;
  }

  /** One reply arrives, or else one is made; true if there was any. */
  answer(): boolean {
    return this.deliver() || (this.work() && this.deliver());
  }

  deliver(): boolean {
    const data = this.sent.shift();
    if (data) this.onmessage?.call(this as unknown as Worker, new MessageEvent("message", { data }));
    return data !== undefined;
  }

  /** Answers the oldest request once; true if there was any. */
  work(): boolean {
    const request = this.waiting[0];
    if (!request) return false;
    if (request.kind === "load") {
      this.waiting.shift();
      this.loaded = request;
      this.now = 0;
      if (request.text === "wrong") this.say({ kind: "problem", id: request.id, problem: { message: "wrong" } });
      else this.say({ kind: "loaded", id: request.id, columns: ["time", "of"] });
    } else if (request.kind === "sample") {
      // A course ends when something else is asked for.
      const from = this.now;
      this.now = Math.min(request.until, this.now + 0.5);
      const left = request.answers - 1;
      const going = left > 0 && this.now < request.until && this.waiting.length === 1;
      if (going) request.answers = left;
      else this.waiting.shift();
      const rows = this.now > from ? Float64Array.of(this.now, Number(this.loaded.text)) : null;
      this.say({ kind: "rows", id: request.id, now: this.now, rows, here: null, lately: null, marks: [], jain: NaN, steps: null, mechanism: null, window: null, ended: this.now >= 12, going });
    }
    return true;
  }

  private say(data: Reply): void {
    this.sent.push(data);
  }
}

let worker: Scripted;
let now = 0;

beforeEach(() => {
  now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
});

function started(): Run {
  return new Run(() => (worker = new Scripted()));
}

/** Frames of the page until all is quiet. */
function quiet(run: Run, goal: number, speed = 5): void {
  for (let frame = 0; frame < 200; frame++) {
    now += 16;
    run.advance(goal, 0.02, 0.02, speed);
    while (worker.answer()) now += 1;
  }
}

/** The texts whose rows are drawn. */
function drawn(run: Run): Set<number> {
  return new Set(run.view!.ring.column("of"));
}

it("goes on after a change and a start anew within one frame", () => {
  const run = started();
  run.load("1", resolved, []);
  quiet(run, 6);
  // A change, whose run is half-way to the old one when all begins anew.
  run.load("2", resolved, []);
  for (let step = 0; step < 4; step++) {
    run.advance(6, 0.02, 0.02, 5);
    worker.answer();
  }
  run.load("2", resolved, [], true);
  expect(run.view).toBeUndefined();
  quiet(run, 0.1);
  quiet(run, 1);
  expect(run.catchingUp).toBe(false);
  expect(run.view!.now).toBeGreaterThanOrEqual(1);
  expect(drawn(run)).toEqual(new Set([2]));
});

it("a wrong text leaves the run of before, and the next right one is run", () => {
  const run = started();
  run.load("1", resolved, []);
  quiet(run, 2);
  run.load("wrong", resolved, []);
  quiet(run, 3);
  expect(run.problem?.message).toBe("wrong");
  run.load("3", resolved, []);
  quiet(run, 4);
  expect(run.problem).toBeUndefined();
  expect(drawn(run)).toEqual(new Set([3]));
});

it("a worker that failed is replaced by the next load", () => {
  const run = started();
  run.load("1", resolved, []);
  quiet(run, 2);
  const broken = worker;
  run.load("2", resolved, []);
  broken.onmessage?.call(broken as unknown as Worker, new MessageEvent("message", { data: { kind: "trap", id: 2, message: "memory" } }));
  expect(run.trap).toBe("memory");
  run.load("3", resolved, []);
  expect(broken.ended).toBe(true);
  quiet(run, 2);
  expect(run.trap).toBeUndefined();
  expect(drawn(run)).toEqual(new Set([3]));
});

it("no order of changes, starts anew, frames and answers stops it or mixes two scenarios", () => {
  for (let seed = 1; seed <= 500; seed++) {
    let state = seed;
    // Park and Miller's generator.
    const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
    const run = started();
    const clock = new Clock();
    clock.playing = true;
    clock.speed = random() < 0.3 ? Infinity : 5;
    let text = 0;
    const frame = (elapsed: number): void => {
      now += elapsed;
      run.advance(clock.tick(elapsed / 1000, run.reached, 12), 0.02, 0.02, clock.speed);
    };
    const change = (anew: boolean): void => {
      if (anew) clock.time = 0;
      run.load(String((text += 1)), resolved, [], anew);
    };
    for (let step = 0; step < 60; step++) {
      const what = random();
      if (what < 0.15) change(random() < 0.5);
      else if (what < 0.6) frame(Math.floor(100 * random()));
      else if (what < 0.8) worker.work();
      else worker.deliver();
      if (run.view && run.view.ring.length > 0) expect(drawn(run).size).toBe(1);
    }
    if (random() < 0.5) change(true);
    for (let count = 0; count < 1000 && !run.view?.ended; count++) {
      frame(16);
      worker.answer();
      clock.playing = true;
    }
    expect(run.view?.ended, `seed ${seed}`).toBe(true);
    while (run.catchingUp) {
      frame(16);
      expect(worker.answer(), `seed ${seed}`).toBe(true);
    }
    expect(drawn(run)).toEqual(text > 0 ? new Set([text]) : new Set());
  }
});

it("whatever instants are sought while answers are on their way, it comes to the last one", () => {
  for (let seed = 1; seed <= 100; seed++) {
    let state = seed;
    const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
    const run = started();
    run.load("1", resolved, []);
    quiet(run, 6);
    let sought = 6;
    for (let step = 0; step < 30; step++) {
      if (random() < 0.3) run.seek((sought = Math.round(100 * random()) / 10));
      else if (random() < 0.5) run.advance(sought, 0.02, 0.02, 5);
      else if (random() < 0.5) worker.work();
      else worker.deliver();
    }
    run.seek(sought);
    quiet(run, sought);
    expect([run.view!.now, run.isBehind, run.catchingUp], `seed ${seed}`).toEqual([sought, false, false]);
    expect(drawn(run)).toEqual(new Set([1]));
  }
});
