/** One simulation at a time, or whole runs one after another. */
import { initSync, jain_index, Scenario, type Simulation } from "../pkg/weir_wasm.js";
import { measured, type Tables } from "./core/measures";
import { problemOf, type Mark, type Mechanism, type Reply, type Request } from "./core/protocol";

/** The worker should answer about this often (ms): so that a new scenario need not wait, and no oftener than plots are drawn. */
const ANSWER = 33;
const SUMS_EVERY = 500;
/** Simulated time is whole nanoseconds (s). */
const NANOSECOND = 1e-9;
/** Queues of flows that are shown one by one. */
const QUEUES = 8;
/** As long as there is no row, it only says how far it is (ms). */
const NEWS_EVERY = 200;

let simulation: Simulation | undefined;
let port = 0;
/** Times (s) at which statistics begin anew, those that are to come. */
let marks: number[] = [];
/** The last of those that have passed, and what each flow had received by then. */
let since: number | undefined;
let receivedBefore: Float64Array = new Float64Array();
let following = false;
/** Simulated time of an answer (s). */
let slice = 0.01;
let sumsAt = 0;
let answeredAt = 0;
/** A row shortly before the goal, and its time (s). */
let lately: { at: number; row: Float64Array } | undefined;
let timer: ReturnType<typeof setInterval> | undefined;

function send(reply: Reply, transfer: Transferable[] = []): void {
  (self as unknown as Worker).postMessage(reply, transfer);
}

function load(request: Extract<Request, { kind: "load" }>): void {
  // What is no valid scenario leaves the simulation of before as it is.
  const scenario = new Scenario(request.text, request.name, request.variant);
  const begun = scenario.simulate_on(scenario.seed);
  simulation?.free();
  simulation = begun;
  ({ port, marks } = request);
  since = lately = undefined;
  following = false;
  scenario.free();
  send({ kind: "loaded", id: request.id, columns: simulation.columns() });
}

/**
 * Answers once, or on and on. A message leaves an event and wrappers behind, which are collected late where there is little
 * other garbage. So the page need not ask for every answer, and gets none that shows nothing.
 */
function sample(request: Extract<Request, { kind: "sample" }>): void {
  let left = request.answers;
  const answer = (): void => {
    left -= 1;
    if (!advance(request, left)) clearInterval(timer);
  };
  if (advance(request, --left)) timer = setInterval(() => attempt(request.id, answer), 0);
}

/** Simulates for one answer and sends it; whether another one is to follow, of so many that are left. */
function advance(request: Extract<Request, { kind: "sample" }>, left: number): boolean {
  if (!simulation) return false;
  const start = performance.now();
  const from = simulation.now;
  const goal = request.until;
  const until = Math.min(goal, from + slice);
  if (request.follow !== following) simulation.follow(port, (following = request.follow));
  const passed: Mark[] = [];
  while (marks[0] !== undefined && until >= marks[0]) {
    since = marks.shift()!;
    simulation.sample(since, request.every);
    passed.push(markOf(simulation, port));
    receivedBefore = simulation.received(since);
  }
  const before = goal - request.lately;
  if (before > simulation.now && before <= until) {
    simulation.sample(before, request.every);
    lately = { at: before, row: simulation.row() };
  }
  if (until > from) simulation.sample(until, request.every);
  const now = simulation.now;
  const rows = simulation.take();
  // The longest time that can be counted.
  const ended = now < until - NANOSECOND;
  const withSums = start - sumsAt > SUMS_EVERY || now >= goal - NANOSECOND || ended;
  if (withSums) sumsAt = start;
  const here = withSums ? markOf(simulation, port) : null;
  const steps = following ? simulation.steps(port) : null;
  const mechanism = request.mechanism ? mechanismOf(simulation, port) : null;
  const window = request.flow === null ? null : { flow: request.flow, values: simulation.window(request.flow) };
  const going = left > 0 && now < goal - NANOSECOND && !ended;
  if (going && rows.length === 0 && !here && passed.length === 0 && !following && start - answeredAt < NEWS_EVERY) {
    fit(start, now - from);
    return true;
  }
  answeredAt = start;
  const jain = since !== undefined && here ? jain_index(simulation.received(since), receivedBefore) : NaN;
  fit(start, now - from);
  const transfer = [rows, here?.row, here?.delays, steps].flatMap((one) => (one && one.length > 0 ? [one.buffer] : []));
  send({ kind: "rows", id: request.id, now, rows: rows.length > 0 ? rows : null, here, lately: here && now >= goal - NANOSECOND && lately?.at === before ? lately.row : null, marks: passed, jain, steps, mechanism, window, ended, going }, transfer);
  return going;
}

/** How the queue decides at this instant. */
function mechanismOf(run: Simulation, queue: number): Mechanism {
  const found = run.mechanism(queue, QUEUES);
  const { variable, dot, curve, queues } = found;
  found.free();
  return { at: run.now, variable, dot, curve, queues };
}

/** The sums of this instant. */
function markOf(run: Simulation, queue: number): Mark {
  return { at: run.now, row: run.row(), delays: run.delays(queue) };
}

/** Simulates up to the end of a span, and says how far it is on the way. */
function span({ id, place, text, name, variant, port: queue, from, to }: Extract<Request, { kind: "span" }>): void {
  const scenario = new Scenario(text, name, variant);
  const run = scenario.simulate_on(scenario.seed);
  scenario.free();
  let said = performance.now();
  let step = to / 1000;
  const go = (goal: number): Mark => {
    while (run.now < goal) {
      const [before, start] = [run.now, performance.now()];
      run.advance(Math.min(goal, before + step));
      if (run.now === before) break;
      step *= performance.now() - start < 20 ? 2 : 0.5;
      if (performance.now() - said < 100) continue;
      said = performance.now();
      send({ kind: "counting", id, place, part: run.now / to });
    }
    return markOf(run, queue);
  };
  const first = go(from);
  const before = run.received(from);
  const last = go(to);
  const jain = jain_index(run.received(from), before);
  const columns = run.columns();
  run.free();
  send({ kind: "span", id, place, columns, from: first, to: last, jain });
}

/** Lets the next slice take as long as it should, by what this one took since `start`. */
function fit(start: number, simulated: number): void {
  const took = performance.now() - start;
  if (simulated >= slice * 0.9) slice = Math.max(1e-4, slice * Math.min(2, Math.max(0.4, ANSWER / Math.max(1, took))));
}

function replicate(request: Extract<Request, { kind: "replicate" }>): void {
  const scenario = new Scenario(request.text, request.name, request.variant);
  const tables = scenario.simulate(BigInt(request.seed)).finish() as Tables;
  scenario.free();
  send({ kind: "replicated", id: request.id, values: measured(tables, request.wanted) });
}

function fluid({ id, place, text, name, variant, every }: Extract<Request, { kind: "fluid" }>): void {
  let [columns, rows, reason]: [string[], Float64Array | null, string | undefined] = [[], null, undefined];
  try {
    const scenario = new Scenario(text, name, variant);
    const model = scenario.fluid(every);
    [columns, rows] = [model.columns, model.rows];
    model.free();
    scenario.free();
  } catch (error) {
    reason = problemOf(error).message;
  }
  send({ kind: "fluid", id, place, columns, rows, reason }, rows ? [rows.buffer] : []);
}

/** Says what goes wrong. */
function attempt(id: number, action: () => void): void {
  try {
    action();
  } catch (error) {
    clearInterval(timer);
    if (error instanceof Error) send({ kind: "trap", id, message: error.message });
    else send({ kind: "problem", id, problem: problemOf(error) });
  }
}

self.onmessage = (event: MessageEvent<Request>) => {
  const request = event.data;
  clearInterval(timer);
  attempt("id" in request ? request.id : 0, () => {
    if (request.kind === "start") initSync({ module: request.module });
    else if (request.kind === "load") load(request);
    else if (request.kind === "sample") sample(request);
    else if (request.kind === "fluid") fluid(request);
    else if (request.kind === "span") span(request);
    else replicate(request);
  });
};
