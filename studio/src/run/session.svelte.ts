/** The state of the page: the scenario's text, the variants that are shown, and the clock. */
import { problemOf, type Problem } from "../core/protocol";
import { encode } from "../core/share";
import { edit, read, resolve, type Resolved } from "../core/scenario";
import { Clock } from "./clock";
import { isClose, Run } from "./run";

export const LETTERS = ["A", "B", "C"] as const;
/** Variants side by side, at most. */
export const MOST = LETTERS.length;

export interface Move {
  time: number;
  what: string;
}

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
  /** What is shown, in the order of the letters. */
  resolved = $state.raw<Resolved[]>([]);
  playing = $state.raw(false);
  speed = $state.raw(5);
  /** What the simulators could not do, by letter. */
  failures = $state.raw<(string | undefined)[]>([]);
  lastMove = $state.raw<Move | undefined>();
  readonly clock = new Clock();
  runs: Run[] = [];
  private undone: string[] = [];
  /** What moved last, and when: one stroke of a slider is one step of undo. */
  private stroke = { key: "", at: 0 };

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
  set(path: string, value: string | undefined, what = `${path} = ${value ?? "default"}`): void {
    this.change((text) => edit(text, path, value), what, this.shown, path);
  }

  /** A text with one more value, for changes of several. */
  edited(text: string, path: string, value: string | undefined): string {
    return edit(text, path, value);
  }

  /** Any change of the text. What is no valid scenario is not taken, and said. */
  change(how: (text: string) => string, what: string, shown = this.shown, key = what): void {
    const before = this.text;
    let after: string;
    try {
      after = how(before);
    } catch (error) {
      this.problem = problemOf(error);
      return;
    }
    if (after === before && shown === this.shown) return;
    if (this.use(after, shown)) {
      this.draft = after;
      const now = performance.now();
      if (key !== this.stroke.key || now - this.stroke.at > 1500) this.undone.push(before);
      this.stroke = { key, at: now };
      this.lastMove = { time: this.clock.time, what };
    }
  }

  get canUndo(): boolean {
    return this.lastMove !== undefined;
  }

  undo(): void {
    const before = this.undone.pop();
    if (before === undefined) return;
    this.draft = before;
    this.stroke = { key: "", at: 0 };
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
      const { title, name, duration, variants, seed } = scenario;
      const changed = text !== this.text;
      const old = this.resolved;
      Object.assign(this, { text, title, name, duration, variants, seed, shown: names, resolved, problem: undefined });
      while (this.runs.length > names.length) this.runs.pop()?.close();
      resolved.forEach((one, index) => {
        const same = !changed && old[index]?.variant === one.variant;
        const run = (this.runs[index] ??= new Run());
        if (!same || run.view === undefined) run.load(text, one);
      });
      return true;
    } catch (error) {
      this.problem = problemOf(error);
      return false;
    }
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

  /** What a frame does before it draws; `elapsed` in s. */
  tick(elapsed: number): void {
    const reached = Math.min(...this.runs.map((run) => run.reached));
    const goal = this.clock.tick(elapsed, reached, this.duration);
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
