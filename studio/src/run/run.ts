/** One variant: its worker, and what has been seen of it. */
import { packetRate } from "../core/rates";
import type { Resolved } from "../core/scenario";
import { compiledModule } from "../core/module";
import type { Mark, Mechanism, Problem, Reply, Request } from "../core/protocol";
import type { Source } from "./feed";
import { Packets } from "./packets";
import { Ring } from "./ring";
import SimulationWorker from "../worker?worker&inline";

/** Newest rows that stay as they came, two minutes at normal speed; and older ones, at most. */
const [RECENT, OLDER] = [6000, 6000];
/** Rows of a window. */
const WINDOW = 2000;
/** The distance of rows that are not wanted (s): they are known. */
const NONE = 1e9;
/** Answers to one request as fast as it goes: about a second, after which a page that is hidden asks for no more. */
const ANSWERS = 40;

/** A worker that has the module. */
export function startWorker(): Worker {
  const worker = new SimulationWorker();
  worker.postMessage({ kind: "start", module: compiledModule() } satisfies Request);
  return worker;
}

/** A scenario to be simulated. */
interface Wanted {
  text: string;
  resolved: Resolved;
  /** Times (s) of changes. */
  changes: readonly number[];
}

/** All that has been seen of one simulation, for the page to draw. */
export interface View {
  /** Number of its requests and replies. */
  id: number;
  resolved: Resolved;
  /** The scenario, to run it again. */
  given: Wanted;
  ring: Ring;
  /** Prefix of the columns of the bottleneck. */
  port: string;
  /** How far the simulation is (s). */
  now: number;
  /** The page went back, or on, to this instant (s): the simulation follows. */
  sought: number;
  ended: boolean;
  /** The newest sums; none of a live run. */
  here: Mark | undefined;
  /** The row shortly before these sums, if it is known better than from the ring. */
  lately?: Float64Array | null;
  /** The sums at each mark that has been seen: the end of the warm-up, and the changes after it. */
  marks: Mark[];
  /** Fairness since the last mark. */
  jain: number;
  /** While packets are followed. */
  packets: Packets | undefined;
  /** How the queue decides, while somebody looks. */
  mechanism?: Mechanism | null;
  /** The window of the flow that is followed. */
  window?: Window | undefined;
}

/** The window of one flow, as far as it has been seen: rows of time (s), window (packets) and smoothed round trip (s). */
export interface Window {
  flow: number;
  ring: Ring;
}

/** The instant that is shown (s). */
export function shownAt(view: View): number {
  return Math.max(view.now, view.sought);
}

/** The last moments (s): 0.2 s, or the longest round trip. */
export function momentsOf({ port }: Resolved): number {
  return Math.max(0.2, port.largest_rtt_s);
}

/** The newest instant that has been seen (s). */
export function newest({ ring, now }: Pick<View, "now" | "ring">): number {
  return ring.length > 0 ? Math.max(ring.last("time"), now) : now;
}

/** The last mark up to an instant. */
export function markAt({ marks }: View, time: number): Mark | undefined {
  return marks.findLast(({ at }) => at <= time + 1e-9);
}

/** As many packets a second can be told apart. */
const SEEN = 300;
/** A new run takes the place of the old one after this time (ms) at the latest; earlier while a slider moves on. */
const [PATIENCE, PATIENCE_ON_THE_MOVE] = [500, 200];

/** Returns true if packets at the bottleneck are slow enough at `time` to be seen one by one. */
export function isClose(one: Resolved, speed: number, time: number): boolean {
  return speed * packetRate(one, time) <= SEEN;
}

/** Additions to the rows that the page looks at: how the queue decides, and the flow that is followed. */
export interface Looks {
  mechanism: boolean;
  flow: number | null;
}

/** Business of a worker. It takes a new request in the middle of a course, which ends with it, and else only when idle. */
type Asked = { kind: "idle" } | { kind: "load" | "answer"; id: number } | ({ kind: "course"; id: number; until: number } & Looks);

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
  /** The page stands at an instant (s) that it was sent to, and that the simulation may have passed. */
  private sought: number | undefined;
  /** The simulation of the view had passed it. */
  private isPassed = false;
  /** True from the reply to `load` on. */
  private isLoaded = false;
  private nextSince = 0;
  /** Simulated time on the page (s), set by the session. */
  goal = 0;
  looks: Looks = { mechanism: false, flow: null };

  /** With `start`, from elsewhere than a simulation; with `feeds`, from what cannot be run again. */
  constructor(
    private readonly start: () => Source = startWorker,
    private readonly feeds = false,
  ) {
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
      this.sought = undefined;
      this.isPassed = false;
      this.goal = 0;
    }
    this.begin();
  }

  /** Goes to another instant (s). What has been seen stays; the simulation runs there again, if it has passed it. */
  seek(time: number): void {
    this.goal = time;
    this.sought = time;
    this.forget();
  }

  /** Drops the state of a simulation that has passed the instant that is sought. */
  private forget(): void {
    const { view, sought } = this;
    if (!view || sought === undefined) return;
    view.sought = sought;
    if (view.now <= sought + 1e-9 || this.feeds) return;
    Object.assign(view, { now: 0, here: undefined, lately: null, jain: NaN, packets: undefined, ended: false, id: (this.id += 1) });
    this.isPassed = true;
  }

  /** Begins anew, on the way to an instant that had passed, if only in an answer that was on its way. The values are known. */
  private goBack(): void {
    const { view, asked } = this;
    const free = asked.kind === "idle" || asked.kind === "course";
    if (!view || this.next || this.wanted || !free) return;
    this.forget();
    if (this.isPassed) this.request(view.id, view.given);
    this.isPassed = false;
  }

  /** Asks for the wanted simulation, as soon as the worker can take it and the one before has been seen. */
  private begin(): void {
    const free = this.asked.kind === "idle" || this.asked.kind === "course";
    if (!free || this.next || !this.wanted) return;
    const { wanted } = this;
    this.wanted = undefined;
    const id = (this.id += 1);
    this.next = { id, resolved: wanted.resolved, given: wanted, ring: new Ring([], 1), port: "", now: 0, sought: 0, ended: false, here: undefined, marks: [], jain: NaN, packets: undefined };
    this.isLoaded = false;
    this.nextSince = performance.now();
    this.request(id, wanted);
  }

  private request(id: number, wanted: Wanted): void {
    const { text, resolved, changes } = wanted;
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
    // Time has gone on from there.
    if (goal !== this.sought) this.sought = undefined;
    this.settle();
    this.begin();
    this.goBack();
    const target = this.next ?? this.view;
    const { asked } = this;
    if (!target || target.ended || this.trap !== undefined || asked.kind === "load" || asked.kind === "answer") return;
    const close = isClose(target.resolved, speed, goal);
    // Before packets are shown they are followed for two round trips: then it is known whose they are.
    const near = Math.max(400 * every, close ? 4 * target.resolved.port.largest_rtt_s : 0);
    const far = goal - target.now > near;
    const until = far && close ? goal - near / 2 : goal;
    // What goes on unasked ends with a new request.
    const { mechanism, flow } = this.looks;
    // Somebody begins to look while the run stands.
    const lacks = !this.feeds && ((mechanism && target.mechanism?.at !== target.now) || (flow !== null && target.window?.flow !== flow));
    if (asked.kind === "course" ? until === asked.until && mechanism === asked.mechanism && flow === asked.flow : until <= target.now + 1e-9 && !lacks) return;
    const answers = (speed === Infinity || far) && until > target.now ? ANSWERS : 1;
    const { id } = target;
    this.asked = answers > 1 ? { kind: "course", id, until, mechanism, flow } : { kind: "answer", id };
    const distance = until <= newest(target) && until > target.now ? NONE : far ? coarse : every;
    this.worker.postMessage({ kind: "sample", id, until, every: distance, follow: !far && close, answers, lately: momentsOf(target.resolved), mechanism, flow } satisfies Request);
  }

  /** True if anything moves here that the page waits for. */
  get isBehind(): boolean {
    const { view } = this;
    const isPast = view !== undefined && this.sought !== undefined && !this.feeds && view.now > this.sought + 1e-9;
    return this.catchingUp || isPast || (view !== undefined && !view.ended && view.now < this.goal - 1e-9);
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
      if (target.ring.columns.length === 0) target.ring = new Ring(reply.columns, RECENT, OLDER);
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
    const far = !view || next.now >= Math.min(this.goal, shownAt(view)) || next.ended;
    const patience = this.wanted ? PATIENCE_ON_THE_MOVE : PATIENCE;
    if (far || (next.ring.length > 0 && performance.now() - this.nextSince > patience)) {
      this.view = next;
      this.next = undefined;
      this.isPassed = false;
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
  const waited = Math.round(view.ring.value(view.port + "queue", view.ring.at(view.now)) || 0);
  if (reply.rows) view.ring.push(reply.rows);
  view.now = reply.now;
  view.ended = reply.ended;
  // A run that goes back passes its marks again.
  const last = view.marks.at(-1)?.at ?? -1;
  view.marks.push(...reply.marks.filter(({ at }) => at > last));
  if (reply.here) {
    view.here = reply.here;
    view.lately = reply.lately;
    view.jain = reply.jain;
  }
  view.mechanism = reply.mechanism;
  if (reply.window) {
    const { flow, values: [cwnd = NaN, srtt = NaN] } = reply.window; // prettier-ignore
    if (view.window?.flow !== flow) view.window = { flow, ring: new Ring(["time", "cwnd", "srtt"], WINDOW, 0) };
    view.window.ring.push(Float64Array.of(reply.now, cwnd, srtt));
  } else view.window = undefined;
  if (reply.steps) (view.packets ??= new Packets(waited)).take(reply.steps);
  else view.packets = undefined;
}
