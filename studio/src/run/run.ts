/** One variant: its worker, and what has been seen of it. */
import type { Resolved } from "../core/scenario";
import { compiledModule } from "../core/module";
import type { Problem, Reply, Request } from "../core/protocol";
import { Packets } from "./packets";
import { Ring } from "./ring";
import SimulationWorker from "../worker?worker&inline";

/** Rows that are kept: a whole run at normal speed has at most 5,000, slow motion adds 60 a second. */
const CAPACITY = 12_000;
/** A worker should answer about this often (ms), so that a new scenario need not wait. */
const ANSWER = 25;
const DELAYS_EVERY = 250;

/** A worker that has the module. */
export function startWorker(): Worker {
  const worker = new SimulationWorker();
  worker.postMessage({ kind: "start", module: compiledModule() } satisfies Request);
  return worker;
}

/** What is drawn of a run. */
export interface View {
  resolved: Resolved;
  ring: Ring;
  /** Prefix of the columns of the bottleneck. */
  port: string;
  now: number;
  ended: boolean;
  delays: Float64Array;
  before: Float64Array | null;
  /** Fairness since the end of the warm-up. */
  jain: number;
  /** While packets are followed. */
  packets: Packets | undefined;
}

/** As many packets a second can be told apart. */
const SEEN = 300;

/** Whether packets at the bottleneck are slow enough to be seen one by one. */
export function isClose({ port }: Resolved, speed: number): boolean {
  return (speed * port.rate_bps) / (8 * port.mean_packet_bytes) <= SEEN;
}

export class Run {
  view: View | undefined;
  problem: Problem | undefined;
  trap: string | undefined;
  private worker = startWorker();
  private id = 0;
  private busy = false;
  private slice = 0.01;
  private next: View | undefined;
  private nextSince = 0;
  private waiting: { text: string; resolved: Resolved } | undefined;
  private delaysAt = 0;

  constructor() {
    this.listen();
  }

  private listen(): void {
    this.worker.onmessage = (event: MessageEvent<Reply>) => this.receive(event.data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      this.trap = event.message || "the worker ended";
    };
  }

  private post(request: Request): void {
    this.busy = true;
    this.worker.postMessage(request);
  }

  /** Runs this scenario from the start. What was seen before stays until the new run has come as far. */
  load(text: string, resolved: Resolved): void {
    if (this.trap !== undefined) this.restart();
    this.waiting = { text, resolved };
    this.loadNow();
  }

  private loadNow(): void {
    if (this.busy || this.next || !this.waiting) return;
    const { text, resolved } = this.waiting;
    this.waiting = undefined;
    this.id += 1;
    this.next = { resolved, ring: new Ring([], 1), port: "", now: 0, ended: false, delays: new Float64Array(), before: null, jain: NaN, packets: undefined };
    this.nextSince = performance.now();
    this.post({
      kind: "load",
      id: this.id,
      text,
      name: "scenario",
      variant: resolved.variant,
      port: resolved.place,
      warmUp: resolved.warmUp,
    });
  }

  /**
   * Asks for more if the run is not yet at `goal` (s) and the worker waits. Rows are `every` (s) apart, `coarse` far from
   * the goal. Near it, packets are followed if they are seen at `speed`.
   */
  advance(goal: number, every: number, coarse: number, speed: number): void {
    const target = this.next ?? this.view;
    if (this.busy || !target || target.ended || this.trap !== undefined || goal <= target.now) return;
    const far = goal - target.now > 400 * every;
    const until = Math.min(goal, target.now + this.slice);
    const time = performance.now();
    const withDelays = time - this.delaysAt > DELAYS_EVERY || until >= goal;
    if (withDelays) this.delaysAt = time;
    this.post({ kind: "sample", id: this.id, until, every: far ? coarse : every, withDelays, follow: !far && isClose(target.resolved, speed) });
  }

  /** How far the newest run is (s). */
  get reached(): number {
    return this.waiting ? 0 : (this.next ?? this.view)?.now ?? 0;
  }

  /** Whether a new run has not yet come as far as `time`. */
  get catchingUp(): boolean {
    return this.next !== undefined || this.waiting !== undefined;
  }

  private receive(reply: Reply): void {
    this.busy = false;
    const target = this.next ?? this.view;
    if (reply.kind === "trap") this.trap = reply.message;
    else if (reply.kind === "problem") {
      this.problem = reply.problem;
      this.next = undefined;
    } else if (reply.kind === "loaded" && this.next) {
      this.problem = undefined;
      const { link, direction } = this.next.resolved.port;
      this.next.ring = new Ring(reply.columns, CAPACITY);
      this.next.port = `links.${link}.${direction}.`;
      this.show();
    } else if (reply.kind === "rows" && target) {
      const span = reply.now - target.now;
      const waited = Math.round(target.ring.last(target.port + "queue") || 0);
      target.ring.push(reply.rows);
      target.now = reply.now;
      target.ended = reply.ended;
      target.before = reply.before;
      if (reply.delays) {
        target.delays = reply.delays;
        target.jain = reply.jain;
      }
      if (reply.steps) (target.packets ??= new Packets(waited)).take(reply.steps);
      else target.packets = undefined;
      if (span >= this.slice * 0.9) this.slice = Math.max(1e-4, this.slice * Math.min(2, Math.max(0.4, ANSWER / Math.max(1, reply.took))));
      this.show();
    }
    this.loadNow();
  }

  /** The new run takes the place of the old one when it is as far, or when waiting any longer would look like a halt. */
  private show(): void {
    if (!this.next) return;
    const far = !this.view || this.next.now >= Math.min(this.goal, this.view.now) || this.next.ended;
    // While a slider moves, the picture follows the hand even if a run has not caught up.
    const patience = this.waiting ? 200 : 500;
    if (far || (this.next.ring.length > 0 && performance.now() - this.nextSince > patience)) {
      this.view = this.next;
      this.next = undefined;
    }
  }

  /** Simulated time on the page (s), set by the session. */
  goal = 0;

  /** A new worker in place of one that has failed. */
  restart(): void {
    this.worker.terminate();
    this.trap = undefined;
    this.busy = false;
    this.worker = startWorker();
    this.listen();
  }

  close(): void {
    this.worker.terminate();
  }
}
