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

/** All that has been seen of one simulation, for the page to draw. */
export interface View {
  /** Number of its requests and replies. */
  id: number;
  resolved: Resolved;
  ring: Ring;
  /** Prefix of the columns of the bottleneck. */
  port: string;
  now: number;
  ended: boolean;
  delays: Float64Array;
  /** The delays at the last mark, and its time (s): the end of the warm-up, or the last change after it. */
  before: { at: number; delays: Float64Array } | null;
  /** Fairness since the last mark. */
  jain: number;
  /** While packets are followed. */
  packets: Packets | undefined;
}

/** As many packets a second can be told apart. */
const SEEN = 300;
/** A new run takes the place of the old one after this time (ms) at the latest; earlier while a slider moves on. */
const [PATIENCE, PATIENCE_ON_THE_MOVE] = [500, 200];

/** Returns true if packets at the bottleneck are slow enough at `time` to be seen one by one. */
export function isClose(one: Resolved, speed: number, time: number): boolean {
  return speed * packetRate(one, time) <= SEEN;
}

/** Business of a worker. It takes a new request in the middle of a course, which ends with it, and else only when idle. */
type Asked = { kind: "idle" } | { kind: "load" | "answer"; id: number } | { kind: "course"; id: number; until: number };

interface Wanted {
  text: string;
  resolved: Resolved;
  /** Times (s) of changes. */
  changes: readonly number[];
}

/**
 * One variant on its way through three places: what is *wanted*, the *next* simulation, and the *view* that is drawn. A change
 * of a control keeps the old view until the next run has come as far; a start anew drops all that was. A reply counts for
 * the simulation whose number it has, and for no other.
 */
export class Run {
  view: View | undefined;
  problem: Problem | undefined;
  trap: string | undefined;
  private worker: Source;
  private id = 0;
  private asked: Asked = { kind: "idle" };
  private wanted: Wanted | undefined;
  private next: View | undefined;
  /** True from the reply to `load` on. */
  private isLoaded = false;
  private nextSince = 0;
  /** Simulated time on the page (s), set by the session. */
  goal = 0;

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

  /** Runs this scenario from its start. With `anew` nothing of what ran before is shown any more. */
  load(text: string, resolved: Resolved, changes: readonly number[], anew = false): void {
    if (this.trap !== undefined) this.renew();
    this.wanted = { text, resolved, changes };
    if (anew) {
      this.view = this.next = this.problem = undefined;
      this.goal = 0;
    }
    this.begin();
  }

  /** Asks for the wanted simulation, as soon as the worker can take it and the one before has been seen. */
  private begin(): void {
    const free = this.asked.kind === "idle" || this.asked.kind === "course";
    if (!free || this.next || !this.wanted) return;
    const { text, resolved, changes } = this.wanted;
    this.wanted = undefined;
    const id = (this.id += 1);
    this.next = { id, resolved, ring: new Ring([], 1), port: "", now: 0, ended: false, delays: new Float64Array(), before: null, jain: NaN, packets: undefined };
    this.isLoaded = false;
    this.nextSince = performance.now();
    this.asked = { kind: "load", id };
    const { variant, place: port, warmUp } = resolved;
    const marks = [warmUp, ...new Set(changes.filter((time) => time > warmUp))].sort((one, other) => one - other);
    this.worker.postMessage({ kind: "load", id, text, name: "scenario", variant, port, marks } satisfies Request);
  }

  /**
   * Once a frame: puts the next run in its place, and asks for more if the run is not yet at `goal` (s) and the worker waits.
   * Rows are `every` (s) apart, `coarse` far from the goal. Near it, packets are followed if they are seen at `speed`.
   */
  advance(goal: number, every: number, coarse: number, speed: number): void {
    this.goal = goal;
    this.settle();
    this.begin();
    const target = this.next ?? this.view;
    const { asked } = this;
    if (!target || target.ended || this.trap !== undefined || asked.kind === "load" || asked.kind === "answer") return;
    // What goes on unasked ends with a new request.
    if (asked.kind === "course" ? goal === asked.until : goal <= target.now) return;
    const far = goal - target.now > 400 * every;
    const answers = speed === Infinity && goal > target.now ? ANSWERS : 1;
    const { id } = target;
    this.asked = answers > 1 ? { kind: "course", id, until: goal } : { kind: "answer", id };
    const follow = !far && isClose(target.resolved, speed, target.now);
    this.worker.postMessage({ kind: "sample", id, until: goal, every: far ? coarse : every, follow, answers } satisfies Request);
  }

  /** How far the newest run is (s). */
  get reached(): number {
    return this.wanted ? 0 : (this.next ?? this.view)?.now ?? 0;
  }

  /** True if anything runs here, or is about to. */
  get isUsed(): boolean {
    return this.view !== undefined || this.catchingUp;
  }

  /** True while a new run has not yet reached the time of the run before. */
  get catchingUp(): boolean {
    return this.next !== undefined || this.wanted !== undefined;
  }

  private receive(reply: Reply): void {
    // The last word on what was asked: a course of before goes on until its worker has read the new request.
    const { asked } = this;
    if (asked.kind !== "idle" && reply.id === asked.id && (reply.kind !== "rows" || (!reply.going && asked.kind !== "load"))) this.asked = { kind: "idle" };
    const target = [this.next, this.view].find((one) => one?.id === reply.id);
    if (reply.kind === "trap") this.trap = reply.message;
    else if (reply.kind === "problem" && target) {
      this.problem = reply.problem;
      this.next = undefined;
    } else if (reply.kind === "loaded" && target) {
      this.problem = undefined;
      const { link, direction } = target.resolved.port;
      target.ring = new Ring(reply.columns, CAPACITY);
      target.port = `links.${link}.${direction}.`;
      this.isLoaded = true;
    } else if (reply.kind === "rows" && target) take(target, reply);
    this.settle();
    this.begin();
  }

  /** The next run takes the place of the old one when it is as far, or when waiting any longer would look like a halt. */
  private settle(): void {
    const { next, view } = this;
    if (!next || !this.isLoaded) return;
    const far = !view || next.now >= Math.min(this.goal, view.now) || next.ended;
    const patience = this.wanted ? PATIENCE_ON_THE_MOVE : PATIENCE;
    if (far || (next.ring.length > 0 && performance.now() - this.nextSince > patience)) {
      this.view = next;
      this.next = undefined;
    }
  }

  /** A new worker in place of one that has failed. */
  private renew(): void {
    this.worker.terminate();
    this.trap = undefined;
    this.next = undefined;
    this.asked = { kind: "idle" };
    this.worker = this.start();
    this.listen();
  }

  close(): void {
    this.worker.terminate();
  }
}

/** Adds what has come to what has been seen. */
function take(view: View, reply: Extract<Reply, { kind: "rows" }>): void {
  const waited = Math.round(view.ring.last(view.port + "queue") || 0);
  if (reply.rows) view.ring.push(reply.rows);
  view.now = reply.now;
  view.ended = reply.ended;
  view.before = reply.before ?? view.before;
  if (reply.delays) {
    view.delays = reply.delays;
    view.jain = reply.jain;
  }
  if (reply.steps) (view.packets ??= new Packets(waited)).take(reply.steps);
  else view.packets = undefined;
}
