/** The state of the page: the scenario's text, the variants that are shown, and the clock. */
import { problemOf, type Problem } from "../core/protocol";
import { encode } from "../core/share";
import { instant, isMovable, movedText, movesOf, queueWith, textAt, withMoves, type Move } from "../core/moves";
import { edit, read, resolve, withDiscipline, within, type Json, type Resolved } from "../core/scenario";
import { digits } from "../core/units";
import { Clock } from "./clock";
import type { Feed } from "./feed";
import { isClose, Run } from "./run";
import { Theory } from "./theory.svelte";

export const LETTERS = ["A", "B", "C"] as const;
/** Variants side by side, at most. */
export const MOST = LETTERS.length;

export class Session {
  /** The last text that is a valid scenario. */
  text = $state.raw("");
  /** The text as it stands in the editor. */
  draft = $state.raw("");
  problem = $state.raw<Problem | undefined>();
  title = $state.raw("");
  name = $state.raw("scenario");
  duration = $state.raw(60);
  variants = $state.raw<string[]>([]);
  seed = $state.raw(1);
  shown = $state.raw<(string | null)[]>([]);
  /** Variants that are shown, in the order of the letters, as they are at the start of the run. */
  resolved = $state.raw<Resolved[]>([]);
  /** Variants that are shown, as they are now. */
  current = $state.raw<Resolved[]>([]);
  /** Changes in mid-run. */
  moves = $state.raw<Move[]>([]);
  /** A control that moves while the simulation runs changes it from then on; otherwise the whole run. */
  fromNow = $state.raw(true);
  playing = $state.raw(false);
  speed = $state.raw(5);
  /** Errors of the simulators, by letter. */
  failures = $state.raw<(string | undefined)[]>([]);
  /** Words for the last change. */
  lastMove = $state.raw<string | undefined>();
  readonly clock = new Clock();
  readonly theory = new Theory();
  runs: Run[] = [];
  /** A live run, which is one of the variants. */
  feed: Feed | undefined;
  private undone: string[] = [];
  /** The last stroke of a control, and its time: one stroke of a slider is one step of undo. */
  private stroke: { key: string; at: number; time: number | undefined } = { key: "", at: 0, time: undefined };
  /** Moves up to now. */
  private passed = 0;

  /** Another scenario, from its start. */
  open(text: string, shown?: (string | null)[]): boolean {
    this.draft = text;
    if (!this.use(text, shown ?? null)) return false;
    this.undone = [];
    this.lastMove = undefined;
    this.restart();
    return true;
  }

  /** The text of the editor; it is used if it is valid. */
  type(text: string): void {
    this.draft = text;
    this.use(text, this.shown);
  }

  /** One value of the scenario, in TOML. */
  set(path: string, value: string, what: string): void {
    this.setAll([[path, value]], what);
  }

  /**
   * Sets several values. While the simulation runs they change at this instant, if they can. A value that a move in
   * force has set changes with the move. All others change the run from its start.
   */
  setAll(values: [path: string, value: string][], what: string): void {
    const key = values.map(([path]) => path).join();
    const moves = values.map(([path, value]) => this.moveOf(path, value, this.instantOf(key)));
    this.move(moves, what, key, (text) => values.reduce((all, [path, value]) => edit(all, path, value), text));
  }

  /** Another discipline, with its defaults, at the queue of `one`. */
  setDiscipline(one: Resolved, name: string, what: string): void {
    const path = `${one.key}.queue`;
    const key = within(one.variant, path);
    const at = this.inForce(one.variant, path)?.at;
    const time = this.instantOf(key) ?? at;
    const move = time === undefined ? undefined : { at: time, path, value: { [name]: {} }, variant: one.variant };
    this.move([move], what, key, (text) => withDiscipline(text, one, name));
  }

  /** Puts all moves at one instant to another. */
  shift(from: number, to: number): void {
    const time = instant(Math.min(to, this.duration));
    this.change((text) => withMoves(text, this.moves.map((move) => (move.at === from ? { ...move, at: time } : move))), `moved to ${digits(time)} s`, this.shown, "shift");
  }

  /** Removes all moves at one instant. */
  remove(at: number): void {
    this.change((text) => withMoves(text, this.moves.filter((move) => move.at !== at)), `removed: ${this.moves.filter((move) => move.at === at).map(movedText).join(", ")}`);
  }

  /** Where a move begins: now, or where the stroke began that it belongs to; undefined if the whole run changes. */
  private instantOf(key: string): number | undefined {
    if (this.isStroke(key)) return this.stroke.time;
    const { time, playing } = this.clock;
    return this.fromNow && playing && time > 0 && time < this.duration ? instant(time) : undefined;
  }

  private isStroke(key: string): boolean {
    return key === this.stroke.key && performance.now() - this.stroke.at <= 1500;
  }

  /** The last move of `path` up to now. */
  private inForce(variant: string | null, path: string): Move | undefined {
    return this.moves.findLast((move) => move.at <= this.clock.time && move.path === path && (move.variant === null || move.variant === variant));
  }

  /** A value as a move at `time`, or as another value of the move in force. */
  private moveOf(where: string, value: string, time: number | undefined): Move | undefined {
    const [, name, path = ""] = /^(?:variants\.([\w-]+)\.)?(.*)$/.exec(where) ?? [];
    const variant = name ?? null;
    const [, queue, parameter] = /^(.*\.queue)\.[\w-]+\.([\w-]+)$/.exec(path) ?? [];
    const whole = queue ?? path;
    if (!isMovable(whole)) return undefined;
    const at = time ?? this.inForce(variant, whole)?.at;
    const one = this.current.find((each) => each.variant === variant);
    try {
      const plain = JSON.parse(value) as Json;
      if (at === undefined || (parameter !== undefined && !one)) return undefined;
      return { at, path: whole, value: parameter === undefined ? plain : queueWith(one!, parameter, plain), variant };
    } catch {
      return undefined;
    }
  }

  /** Adds moves, if there are any and the scenario allows them; else changes the text as `otherwise` says. */
  private move(moves: (Move | undefined)[], what: string, key: string, otherwise: (text: string) => string): void {
    const added = moves.flatMap((move) => move ?? []);
    const time = added[0]?.at;
    if (added.length === moves.length && time !== undefined) {
      const others = this.moves.filter((one) => !added.some((move) => move.at === one.at && move.path === one.path && move.variant === one.variant));
      if (this.change((text) => withMoves(text, [...others, ...added]), what, this.shown, key, time)) return;
    }
    // What cannot change in mid-run changes the run from its start.
    const { time: now, playing } = this.clock;
    this.change(otherwise, this.fromNow && playing && now > 0 ? `${what} (whole run)` : what, this.shown, key);
  }

  /** Changes the text. A text that is no valid scenario is refused, and the error is shown. */
  change(how: (text: string) => string, what: string, shown = this.shown, key = what, time?: number): boolean {
    const before = this.text;
    let after: string;
    try {
      after = how(before);
    } catch (error) {
      this.problem = problemOf(error);
      return false;
    }
    if (after === before && shown === this.shown) return true;
    if (!this.use(after, shown)) return false;
    this.draft = after;
    if (!this.isStroke(key)) this.undone.push(before);
    this.stroke = { key, at: performance.now(), time };
    this.lastMove = what;
    return true;
  }

  get canUndo(): boolean {
    return this.lastMove !== undefined;
  }

  undo(): void {
    const before = this.undone.pop();
    if (before === undefined) return;
    this.draft = before;
    this.stroke = { key: "", at: 0, time: undefined };
    this.use(before, this.shown);
    if (this.undone.length === 0) this.lastMove = undefined;
  }

  show(shown: (string | null)[]): void {
    this.use(this.text, shown);
  }

  /** Reads a text and runs it; false, and the problem said, if it is no valid scenario. */
  private use(text: string, shown: (string | null)[] | null): boolean {
    try {
      const scenario = read(text);
      const kept = (shown ?? []).filter((name) => name === null || scenario.variants.includes(name));
      const first = scenario.variants.length > 0 ? scenario.variants.slice(0, 2) : [null];
      const names = kept.length > 0 ? kept.slice(0, MOST) : first;
      const resolved = names.map((name) => resolve(text, name));
      const moves = movesOf(text);
      const { title, name, duration, variants, seed } = scenario;
      const changed = text !== this.text;
      const old = this.resolved;
      Object.assign(this, { text, title, name, duration, variants, seed, shown: names, resolved, moves, problem: undefined });
      this.see(true);
      while (this.runs.length > names.length) this.runs.pop()?.close();
      resolved.forEach((one, index) => {
        const same = !changed && old[index]?.variant === one.variant;
        const run = (this.runs[index] ??= this.runOf(one));
        if (!same || run.view === undefined) run.load(text, one);
      });
      this.theory.show(text, resolved, duration);
      return true;
    } catch (error) {
      this.problem = problemOf(error);
      return false;
    }
  }

  private runOf({ variant }: Resolved): Run {
    const { feed } = this;
    return feed && variant === feed.head.variant ? new Run(() => feed.source()) : new Run();
  }

  /** Updates `current` after a move has come or the text has changed. */
  private see(changed: boolean): void {
    const passed = this.moves.filter((move) => move.at <= this.clock.time).length;
    if (!changed && passed === this.passed) return;
    this.passed = passed;
    const text = passed > 0 ? textAt(this.text, this.moves, this.clock.time) : "";
    this.current = this.resolved.map((one) => (passed > 0 ? resolve(text, one.variant) : one));
  }

  /** True if every run has come to its end, with the newest text. */
  get settled(): boolean {
    return this.runs.every((run) => !run.catchingUp && run.view?.ended === true);
  }

  play(): void {
    if (this.clock.time >= this.duration) this.restart();
    this.clock.playing = this.playing = true;
  }

  pause(): void {
    this.clock.playing = this.playing = false;
  }

  /** From the start, with the same seed. */
  restart(): void {
    this.clock.time = 0;
    this.runs.forEach((run, index) => {
      run.goal = 0;
      const one = this.resolved[index];
      if (one) run.load(this.text, one);
    });
  }

  /** One step further: a packet where they are seen one by one. */
  step(): void {
    this.pause();
    const port = this.resolved[0]?.port;
    const step = port && isClose(this.resolved[0]!, this.speed) ? (8 * port.mean_packet_bytes) / port.rate_bps : this.every;
    this.clock.time = Math.min(this.duration, this.clock.time + step);
  }

  toEnd(): void {
    this.clock.time = this.duration;
  }

  /** The state of the page as the fragment of an address. */
  share(): Promise<string> {
    return encode({ text: this.text, shown: this.shown, speed: this.speed === Infinity ? null : this.speed });
  }

  setSpeed(speed: number): void {
    this.clock.speed = this.speed = speed;
  }

  /** The distance of rows (s): 20 ms, fewer in long runs, more of them at slow speed. */
  get every(): number {
    const coarse = this.coarse;
    return this.speed < 1 ? Math.max(1e-4, Math.min(coarse, this.speed / 60)) : coarse;
  }

  private get coarse(): number {
    return Math.max(0.02, this.duration / 5000);
  }

  /** Advances the runs before a frame is drawn; `elapsed` in s. */
  tick(elapsed: number): void {
    const reached = Math.min(...this.runs.map((run) => run.reached));
    const goal = this.clock.tick(elapsed, reached, this.duration);
    this.see(false);
    for (const run of this.runs) {
      run.goal = goal;
      run.advance(goal, this.every, this.coarse, this.speed);
    }
    if (this.playing !== this.clock.playing) this.playing = this.clock.playing;
    const failures = this.runs.map((run) => run.trap ?? run.problem?.message);
    if (failures.some((one, index) => one !== this.failures[index]) || failures.length !== this.failures.length) this.failures = failures;
  }

  /** A new worker for what failed, from the start. */
  recover(): void {
    this.runs.forEach((run, index) => {
      const one = this.resolved[index];
      if (one && (run.trap !== undefined || run.problem)) run.load(this.text, one);
    });
  }
}

export const session = new Session();

type Draw = (elapsed: number) => void;
const drawn = new Set<Draw>();

/** Calls `draw` at every frame until the returned function is called. */
export function onFrame(draw: Draw): () => void {
  drawn.add(draw);
  return () => drawn.delete(draw);
}

/** Durations of the last frames (ms), for measurements. */
export const frames: number[] = [];

/** Starts the loop of frames, whatever the simulators do. */
export function animate(): void {
  let last = performance.now();
  const frame = (time: number): void => {
    const elapsed = Math.max(0, time - last);
    last = time;
    frames.push(elapsed);
    if (frames.length > 5000) frames.shift();
    session.tick(elapsed / 1000);
    for (const draw of drawn) draw(elapsed / 1000);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
