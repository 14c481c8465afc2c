/** One simulation at a time, or whole runs one after another. */
import { initSync, jain_index, Scenario, type Simulation } from "../pkg/weir_wasm.js";
import { measured, type Tables } from "./core/measures";
import { problemOf, type Reply, type Request } from "./core/protocol";

/** The worker should answer about this often (ms): so that a new scenario need not wait, and no oftener than plots are drawn. */
const ANSWER = 33;
const DELAYS_EVERY = 500;
/** As long as there is no row, it only says how far it is (ms). */
const NEWS_EVERY = 200;

let simulation: Simulation | undefined;
let duration = 0;
let port = 0;
/** Times (s) at which statistics begin anew, those that are to come. */
let marks: number[] = [];
/** The last of those that have passed, and what each flow had received by then. */
let since: number | undefined;
let receivedBefore: Float64Array = new Float64Array();
let following = false;
/** Simulated time of an answer (s). */
let slice = 0.01;
let delaysAt = 0;
let answeredAt = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function send(reply: Reply, transfer: Transferable[] = []): void {
  (self as unknown as Worker).postMessage(reply, transfer);
}

function load(request: Extract<Request, { kind: "load" }>): void {
  // What is no valid scenario leaves the simulation of before as it is.
  const scenario = new Scenario(request.text, request.name, request.variant);
  const begun = scenario.simulate(scenario.seed);
  simulation?.free();
  simulation = begun;
  duration = scenario.duration;
  ({ port, marks } = request);
  since = undefined;
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
  const goal = Math.min(request.until, duration);
  const until = Math.min(goal, from + slice);
  if (request.follow !== following) simulation.follow(port, (following = request.follow));
  let before: { at: number; delays: Float64Array } | null = null;
  while (marks[0] !== undefined && until >= marks[0]) {
    since = marks.shift()!;
    simulation.sample(since, request.every);
    before = { at: since, delays: simulation.delays(port) };
    receivedBefore = simulation.received(since);
  }
  if (until > from) simulation.sample(until, request.every);
  const now = simulation.now;
  const rows = simulation.take();
  const withDelays = start - delaysAt > DELAYS_EVERY || now >= goal;
  if (withDelays) delaysAt = start;
  const delays = withDelays ? simulation.delays(port) : null;
  const steps = following ? simulation.steps(port) : null;
  const going = left > 0 && now < goal;
  if (going && rows.length === 0 && !delays && !before && !following && start - answeredAt < NEWS_EVERY) {
    fit(start, now - from);
    return true;
  }
  answeredAt = start;
  const jain = since !== undefined && delays ? jain_index(simulation.received(since), receivedBefore) : NaN;
  fit(start, now - from);
  const transfer = [rows, delays, steps].flatMap((one) => (one && one.length > 0 ? [one.buffer] : []));
  send({ kind: "rows", id: request.id, now, rows: rows.length > 0 ? rows : null, delays, before, jain, steps, ended: now >= duration, going }, transfer);
  return going;
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
    else replicate(request);
  });
};
