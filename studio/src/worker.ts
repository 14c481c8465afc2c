/** One simulation at a time, or whole runs one after another. */
import { initSync, Scenario, type Simulation } from "../pkg/weir_wasm.js";
import { jainIndex } from "./core/fairness";
import { problemOf, type Measures, type Reply, type Request } from "./core/protocol";

let simulation: Simulation | undefined;
let duration = 0;
let port = 0;
let warmUp = 0;
let before: Float64Array | null = null;
let receivedBefore: Float64Array = new Float64Array();
let following = false;

function send(reply: Reply, transfer: Transferable[] = []): void {
  (self as unknown as Worker).postMessage(reply, transfer);
}

function load(request: Extract<Request, { kind: "load" }>): void {
  simulation?.free();
  simulation = undefined;
  const scenario = new Scenario(request.text, request.name, request.variant);
  duration = scenario.duration;
  ({ port, warmUp } = request);
  before = null;
  following = false;
  simulation = scenario.simulate(scenario.seed);
  scenario.free();
  send({ kind: "loaded", id: request.id, columns: simulation.columns() });
}

function sample(request: Extract<Request, { kind: "sample" }>): void {
  if (!simulation) return;
  const start = performance.now();
  const until = Math.min(request.until, duration);
  if (request.follow !== following) simulation.follow(port, (following = request.follow));
  if (before === null && until >= warmUp) {
    simulation.sample(warmUp, request.every);
    before = simulation.delays(port);
    receivedBefore = simulation.received(warmUp);
  }
  simulation.sample(until, request.every);
  const rows = simulation.take();
  const delays = request.withDelays ? simulation.delays(port) : null;
  const steps = following ? simulation.steps(port) : null;
  const jain = before && delays ? jainIndex(simulation.received(warmUp), receivedBefore) : NaN;
  const took = performance.now() - start;
  const now = simulation.now;
  const transfer = [rows, delays, steps].flatMap((one) => (one ? [one.buffer] : []));
  send({ kind: "rows", id: request.id, now, rows, delays, before, jain, steps, took, ended: now >= duration }, transfer);
}

type Column = Float64Array | BigInt64Array | Uint8Array | { codes: Uint32Array; names: string[] };
type Tables = Record<string, Record<string, Column>>;

function replicate(request: Extract<Request, { kind: "replicate" }>): void {
  const scenario = new Scenario(request.text, request.name, request.variant);
  const tables = scenario.simulate(BigInt(request.seed)).finish() as Tables;
  scenario.free();
  // The first row of the bottleneck, and that of all groups, hold the whole measured time.
  const links = tables.links!;
  const row = (links.bottleneck as Uint8Array).indexOf(1);
  const value = (table: string, name: string, index: number): number =>
    (tables[table]?.[name] as Float64Array | undefined)?.[index] ?? NaN;
  const measures: Measures = {
    delay_mean_ms: value("links", "delay_mean_ms", row),
    delay_p99_ms: value("links", "delay_p99_ms", row),
    utilisation: value("links", "utilisation", row),
    loss: value("links", "loss", row),
    mark_fraction: value("links", "mark_fraction", row),
    jain: value("groups", "jain", 0),
  };
  send({ kind: "replicated", id: request.id, measures });
}

self.onmessage = (event: MessageEvent<Request>) => {
  const request = event.data;
  try {
    if (request.kind === "start") initSync({ module: request.module });
    else if (request.kind === "load") load(request);
    else if (request.kind === "sample") sample(request);
    else replicate(request);
  } catch (error) {
    const id = "id" in request ? request.id : 0;
    if (error instanceof Error) send({ kind: "trap", id, message: error.message });
    else send({ kind: "problem", id, problem: problemOf(error) });
  }
};
