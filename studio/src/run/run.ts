/** One variant: its worker, and what has been seen of it. */
import { packetRate } from "../core/rates";
import type { Resolved } from "../core/scenario";
import { compiledModule } from "../core/module";
import type { Problem, Reply, Request } from "../core/protocol";
import type { Source } from "./feed";
import { Packets } from "./packets";
import { Ring } from "./ring";
import SimulationWorker from "../worker?worker&inline";

/** Rows that are kept: a whole run at normal speed has at most 5,000, slow motion adds 60 a second. */
const CAPACITY = 12_000;
/** Answers to one request as fast as it goes: about a second, after which a page that is hidden asks for no more. */
const ANSWERS = 40;

/** A worker that has the module. */
export function startWorker(): Worker {
  const worker = new SimulationWorker();
  worker.postMessage({ kind: "start", module: compiledModule() } satisfies Request);
  return worker;
}

/** The part of a run that is drawn. */
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

/** Returns true if packets at the bottleneck are slow enough at `time` to be seen one by one. */
export function isClose(one: Resolved, speed: number, time: number): boolean {
  return speed * packetRate(one, time) <= SEEN;
}

export class Run {
  view: View | undefined;
  problem: Problem | undefined;
  trap: string | undefined;
  private worker: Source;
  private id = 0;
  private busy = false;
  /** The time up to which the worker goes on unasked (s). */
  private course: number | undefined;
  private next: View | undefined;
  private nextSince = 0;
  private waiting: { text: string; resolved: Resolved } | undefined;

  /** With `start`, from elsewhere than a simulation. */
  constructor(private readonly start: () => Source = startWorker) {
    this.worker = start();
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
    this.course = request.kind === "sample" && request.answers > 1 ? request.until : undefined;
    this.worker.postMessage(request);
  }

  /** Runs this scenario from the start. The former run is shown until the new one has come as far. */
  load(text: string, resolved: Resolved): void {
    if (this.trap !== undefined) this.restart();
    this.waiting = { text, resolved };
    this.loadNow();
  }

  private loadNow(): void {
    if ((this.busy && this.course === undefined) || this.next || !this.waiting) return;
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
    if (!target || target.ended || this.trap !== undefined) return;
    // What goes on unasked ends with a new request.
    if (this.course === undefined ? this.busy || goal <= target.now : goal === this.course) return;
    const far = goal - target.now > 400 * every;
    const answers = speed === Infinity && goal > target.now ? ANSWERS : 1;
    this.post({ kind: "sample", id: this.id, until: goal, every: far ? coarse : every, follow: !far && isClose(target.resolved, speed, target.now), answers });
  }

  /** How far the newest run is (s). */
  get reached(): number {
    return this.waiting ? 0 : (this.next ?? this.view)?.now ?? 0;
  }

  /** True while a new run has not yet reached the time of the run before. */
  get catchingUp(): boolean {
    return this.next !== undefined || this.waiting !== undefined;
  }

  private receive(reply: Reply): void {
    // Of the run before, which went on when the new one was asked for.
    if (reply.kind === "rows" && reply.id !== this.id) return;
    if (reply.kind !== "rows" || !reply.going) {
      this.busy = false;
      this.course = undefined;
    }
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
      const waited = Math.round(target.ring.last(target.port + "queue") || 0);
      if (reply.rows) target.ring.push(reply.rows);
      target.now = reply.now;
      target.ended = reply.ended;
      target.before ??= reply.before;
      if (reply.delays) {
        target.delays = reply.delays;
        target.jain = reply.jain;
      }
      if (reply.steps) (target.packets ??= new Packets(waited)).take(reply.steps);
      else target.packets = undefined;
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
    this.course = undefined;
    this.worker = this.start();
    this.listen();
  }

  close(): void {
    this.worker.terminate();
  }
}
