/** The state of the page: the scenario's text, the variants that are shown, and their runs. */
import { demandOf, demandText, isMuch, type Demand } from "../core/demand";
import { problemOf, type Problem } from "../core/protocol";
import { USUAL_INNER } from "../core/share";
import { movesOf, textAt, type Move } from "../core/moves";
import { changesOf, labelOf, titleOf } from "../core/names";
import { notesOf, type Shared } from "../core/notes";
import { rateAt } from "../core/rates";
import { read, resolve, type Resolved } from "../core/scenario";
import { Changes } from "./changes.svelte";
import { Course } from "./course.svelte";
import type { Feed } from "./feed";
import { Fits } from "./fits.svelte";
import { Playback } from "./playback.svelte";
import { newest, Run } from "./run";
import { Span } from "./span.svelte";
import { Theory } from "./theory.svelte";

export const LETTERS = ["A", "B", "C"] as const;
/** A wait that is not told (ms). */
const PATIENCE = 300;
/** Variants side by side, at most. */
export const MOST = LETTERS.length;

function usual(variants: readonly string[]): (string | null)[] {
  return variants.length > 0 ? variants.slice(0, 2) : [null];
}

/** One flow. */
export interface Flow {
  flow: number;
  /** Number of its group. */
  group: number;
}

/** Delay and goodput of all packets, of each flow group, or of each class. */
export type By = "all" | "group" | "class";

export class Session {
  /** The last text that is a valid scenario. */
  text = $state.raw("");
  /** The text as it stands in the editor. */
  draft = $state.raw("");
  problem = $state.raw<Problem | undefined>();
  /** The title of the text, and what has changed since it was opened. */
  title = $state.raw("");
  name = $state.raw("scenario");
  duration = $state.raw(60);
  variants = $state.raw<string[]>([]);
  seed = $state.raw(1);
  shown = $state.raw<(string | null)[]>([]);
  /** Variants that are shown, in the order of the letters, as they are at the start of the run. */
  resolved = $state.raw<Resolved[]>([]);
  /** Variants that are shown, as they are now, with the rates of the whole run. */
  current = $state.raw<Resolved[]>([]);
  /** The rate in force at the queue of the first variant (bit/s). */
  rate = $state.raw(NaN);
  /** Notes of `weir check` on the variants that are shown. */
  notes = $state.raw<Shared[]>([]);
  /** Changes in mid-run. */
  moves = $state.raw<Move[]>([]);
  /** The variable of the second plot. */
  inner = $state.raw(USUAL_INNER);
  /** The time that plots show (s); 0 follows the speed. */
  window = $state.raw(0);
  /** True while the page shows how each queue decides. */
  mechanism = $state.raw(false);
  /** The flow that is followed through the picture of the queue. */
  followed = $state.raw<Flow | undefined>();
  /** Parts into which plots divide delay and goodput. */
  by = $state.raw<By>("all");
  /** How far the runs are on their way to where the page stands, from 0 to 1, if that takes long. */
  behind = $state.raw<number | undefined>();
  private behindSince: number | undefined;
  /** Errors of the simulators, by letter. */
  failures = $state.raw<(string | undefined)[]>([]);
  /** The demand of runs that wait for an answer, and the call that begins them. */
  asked = $state.raw<{ demand: Demand; again: () => void } | undefined>();
  readonly playback = new Playback(this);
  readonly changes = new Changes(this);
  readonly theory = new Theory();
  readonly fits = new Fits(this);
  readonly course = new Course(this);
  readonly span = new Span();
  runs: Run[] = [];
  /** The text as it was opened, and its variants: what their names were given to. */
  private opened = "";
  private readonly first = new Map<string | null, Resolved | undefined>();
  /** A live run, which is one of the variants. */
  feed: Feed | undefined;
  /** The demand that was allowed last: a control may need as much again, and somewhat more. */
  private allowed: Demand | undefined;
  /** The title that the text gives. */
  private given = "";
  /** Moves up to now. */
  private passed = 0;

  /** Another scenario, from its start. Names tell what has changed since `named`. */
  open(text: string, shown?: (string | null)[], named = text): boolean {
    this.draft = text;
    const before = this.opened;
    this.opened = named;
    this.first.clear();
    if (!this.use(text, shown ?? null, true, () => this.open(text, shown, named))) {
      this.opened = before;
      this.first.clear();
      return false;
    }
    this.changes.clear();
    this.fits.clear();
    this.followed = undefined;
    return true;
  }

  /** The text of the editor; it is used if it is valid. */
  type(text: string): void {
    // A text that is no scenario stays, to be mended.
    this.draft = text;
    if (text === this.text) this.problem = undefined;
    else this.changes.typed(text);
  }

  /** The text in the editor is not what runs: it is under repair, and controls wait. */
  get broken(): boolean {
    return this.draft !== this.text;
  }

  /** Puts the last valid text into the editor. */
  discard(): void {
    this.draft = this.text;
    this.problem = undefined;
  }

  /** Shows other variants. */
  show(shown: (string | null)[], what: string): void {
    this.changes.change((text) => text, what, shown);
  }

  /**
   * Reads a text and runs it, with `anew` from time zero; false, and the problem said, if it is no valid scenario. False too
   * if it needs so much that somebody is asked first: `again` is what comes after a yes.
   */
  use(text: string, shown: (string | null)[] | null, anew = false, again: () => unknown = () => this.use(text, shown, anew)): boolean {
    try {
      const scenario = read(text);
      const kept = (shown ?? []).filter((name) => name === null || scenario.variants.includes(name));
      const first = usual(scenario.variants);
      const names = kept.length > 0 ? kept.slice(0, MOST) : first;
      const demand = demandOf(text, names);
      if (isMuch(demand, this.allowed)) {
        this.problem = undefined;
        this.asked = { demand, again };
        return false;
      }
      const resolved = names.map((name) => this.named(resolve(text, name)));
      const moves = movesOf(text);
      const { name, duration, variants, seed } = scenario;
      this.given = scenario.title;
      const changed = text !== this.text;
      const before = this.shown.join();
      const old = this.resolved;
      Object.assign(this, { text, name, duration, variants, seed, shown: names, resolved, moves, problem: undefined });
      if (anew) this.playback.clock.time = 0;
      this.see(true);
      while (this.runs.length > names.length) this.runs.pop()?.close();
      resolved.forEach((one, index) => {
        const same = !anew && !changed && old[index]?.variant === one.variant;
        const run = (this.runs[index] ??= this.runOf(one));
        if (!same || !run.isUsed) run.load(text, one, this.instants, anew);
      });
      this.theory.show(text, resolved, duration);
      if (changed || names.join() !== before) {
        this.span.show(text, resolved);
        this.notes = notesOf(text, names);
      }
      return true;
    } catch (error) {
      this.problem = problemOf(error);
      return false;
    }
  }

  /** The answer to what was asked. A no leaves all as it was, and what was typed in the editor. */
  answer(isYes: boolean): void {
    const { asked } = this;
    this.asked = undefined;
    if (!asked) return;
    this.changes.refused = undefined;
    if (isYes) {
      this.allowed = asked.demand;
      asked.again();
    } else if (this.broken) this.problem = { message: `not run: ${demandText(asked.demand)}` };
  }

  /** Variants that are shown at first. */
  get usual(): (string | null)[] {
    return usual(this.variants);
  }

  /** When something changes in mid-run (s). */
  private get instants(): number[] {
    return this.moves.map((move) => move.at);
  }

  /** A variant as the text had it when it was opened; undefined if it had none of this name. */
  private asOpened(variant: string | null): Resolved | undefined {
    if (!this.first.has(variant)) {
      const known = variant === null || read(this.opened).variants.includes(variant);
      this.first.set(variant, known ? resolve(this.opened, variant) : undefined);
    }
    return this.first.get(variant);
  }

  /** A variant with the name that it has earned by now. */
  private named(one: Resolved): Resolved {
    return { ...one, label: labelOf(one, this.asOpened(one.variant)) };
  }

  private runOf({ variant }: Resolved): Run {
    const { feed } = this;
    return feed && variant === feed.head.variant ? new Run(() => feed.source(), true) : new Run();
  }

  /** Updates `rate`, and `current` after a move has come or the text has changed. */
  private see(changed: boolean): void {
    const passed = this.moves.filter((move) => move.at <= this.playback.clock.time).length;
    const first = this.resolved[0];
    if (first) this.rate = rateAt(first, this.playback.clock.time);
    if (!changed && passed === this.passed) return;
    this.passed = passed;
    const text = passed > 0 ? textAt(this.text, this.moves, this.playback.clock.time) : "";
    this.current = this.resolved.map((one) => (passed > 0 ? this.named({ ...resolve(text, one.variant), rates: one.rates }) : one));
    const one = this.current[0];
    this.title = titleOf(this.given, one ? changesOf(one, this.asOpened(one.variant)) : []);
  }

  /** True if the page stands still, and every run with the newest text is where it stands. */
  get settled(): boolean {
    const { time } = this.playback.clock;
    return !this.playback.playing && this.span.part === undefined && this.runs.every((run) => !run.isBehind && (run.view?.ended === true || (run.view?.now ?? 0) >= time - 1e-9));
  }

  /** The end of time (s), where a run has come to it. */
  get end(): number | undefined {
    const ended = this.runs.flatMap(({ view }) => (view?.ended ? [view.now] : []));
    return ended.length > 0 ? Math.min(...ended) : undefined;
  }

  /** The newest instant that has been seen (s). */
  get newest(): number {
    return Math.max(this.playback.clock.time, ...this.runs.map(({ view }) => (view ? newest(view) : 0)));
  }

  /** The end of the axis of time (s): that of the scenario's run, or further on as far as time has come. */
  get whole(): number {
    return wholeOf(this.duration, this.newest);
  }

  /** Goes to another instant (s), and stands there. */
  seek(time: number): void {
    this.playback.pause();
    this.playback.clock.time = Math.max(0, time);
    for (const run of this.runs) run.seek(this.playback.clock.time);
    this.see(false);
  }

  /** From the start, with the same seed. */
  restart(): void {
    this.playback.clock.time = 0;
    this.runs.forEach((run, index) => {
      const one = this.resolved[index];
      if (one) run.load(this.text, one, this.instants, true);
    });
  }

  /** Advances the runs before a frame is drawn; `elapsed` in s. */
  tick(elapsed: number): void {
    const reached = Math.min(...this.runs.map((run) => run.reached));
    const { every, coarse, speed } = this.playback;
    const goal = this.playback.tick(elapsed, reached);
    this.see(false);
    const looks = { mechanism: this.mechanism, flow: this.followed?.flow ?? null };
    for (const run of this.runs) {
      run.looks = looks;
      run.advance(goal, every, coarse, speed);
    }
    this.watch();
    const failures = this.runs.map((run) => run.trap ?? run.problem?.message);
    if (failures.some((one, index) => one !== this.failures[index]) || failures.length !== this.failures.length) this.failures = failures;
  }

  /** Says how far the runs are, once the page has waited for some time. */
  private watch(): void {
    const now = performance.now();
    const { clock, playing, speed } = this.playback;
    const { time } = clock;
    // While it plays the clock may be ahead a little.
    const lead = playing ? 2 * speed : 0;
    const waits = time > 0 && this.runs.some((run) => run.isBehind && run.reached < time - lead);
    this.behindSince = waits ? (this.behindSince ?? now) : undefined;
    const late = this.behindSince !== undefined && now - this.behindSince > PATIENCE;
    const part = late ? Math.round((100 * Math.min(...this.runs.map(({ reached }) => reached))) / time) / 100 : undefined;
    if (part !== this.behind) this.behind = part;
  }

  /** A new worker for what failed, from the start. */
  recover(): void {
    this.runs.forEach((run, index) => {
      const one = this.resolved[index];
      if (one && (run.trap !== undefined || run.problem)) run.load(this.text, one, this.instants);
    });
  }
}

/** A time beyond `newest` that stays while that grows: the duration, or a round one (s). */
function wholeOf(duration: number, newest: number): number {
  if (newest <= duration) return duration;
  const step = 10 ** Math.floor(Math.log10(newest)) / 2;
  return Math.ceil(newest / step) * step;
}

export const session = new Session();
