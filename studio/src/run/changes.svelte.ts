/** Changes of the scenario by controls: of its text, or as moves in mid-run where that can be; and undo. */
import { problemOf, type Problem } from "../core/protocol";
import { instant, isMovable, movedText, queueWith, withMoves, type Move } from "../core/moves";
import { edit, withDiscipline, within, type Json, type Resolved } from "../core/scenario";
import { digits } from "../core/units";
import type { Playback } from "./playback.svelte";

/** The scenario that is changed. */
interface Changed {
  text: string;
  draft: string;
  problem: Problem | undefined;
  /** The end of the axis of time (s). */
  readonly whole: number;
  readonly shown: (string | null)[];
  readonly current: Resolved[];
  readonly moves: Move[];
  readonly playback: Playback;
  use(text: string, shown: (string | null)[] | null): boolean;
}

/** Strokes of one control that follow each other within this time (ms) are one step of undo. */
const STROKE = 1500;

export class Changes {
  /** A control that is moved in the middle of a run changes it from then on, playing or not; otherwise the whole run. */
  fromNow = $state.raw(true);
  /** Words for the last change. */
  last = $state.raw<string | undefined>();
  private undone: string[] = [];
  /** The last stroke of a control, when it was, and the simulated time of its move. */
  private stroke: { key: string; at: number; time: number | undefined } = { key: "", at: 0, time: undefined };

  constructor(private readonly session: Changed) {}

  /** Forgets what was changed. */
  clear(): void {
    this.undone = [];
    this.last = undefined;
  }

  /** One value of the scenario, in TOML. */
  set(path: string, value: string, what: string): void {
    this.setAll([[path, value]], what);
  }

  /**
   * Sets several values. In the middle of a run they change at this instant, if they can. A value that a move in
   * force has set changes with the move. All others change the run from its start.
   */
  setAll(values: [path: string, value: string][], what: string): void {
    const key = values.map(([path]) => path).join();
    const moves = values.map(([path, value]) => this.moveOf(path, value, this.instantOf(key)));
    this.move(moves, what, key, (text) => values.reduce((all, [path, value]) => edit(all, path, value), text));
  }

  /** Another discipline, with its defaults, at the queue of `one`. */
  setDiscipline(one: Resolved, name: string, what: string): void {
    const path = `${one.port.key}.queue`;
    const key = within(one.variant, path);
    const time = this.instantOf(key) ?? this.inForce(one.variant, path)?.at;
    const move = time === undefined ? undefined : { at: time, path, value: { [name]: {} }, variant: one.variant };
    this.move([move], what, key, (text) => withDiscipline(text, one, name));
  }

  /** Puts all moves at one instant to another. */
  shift(from: number, to: number): void {
    const time = instant(Math.min(to, this.session.whole));
    const shifted = this.session.moves.map((move) => (move.at === from ? { ...move, at: time } : move));
    this.change((text) => withMoves(text, shifted), `moved to ${digits(time)} s`, this.session.shown, "shift");
  }

  /** Removes all moves at one instant. */
  remove(at: number): void {
    const { moves } = this.session;
    const what = `removed: ${moves.filter((move) => move.at === at).map(movedText).join(", ")}`;
    this.change((text) => withMoves(text, moves.filter((move) => move.at !== at)), what);
  }

  /** Where a move begins: now, or where the stroke began that it belongs to; undefined if the whole run changes. */
  private instantOf(key: string): number | undefined {
    if (this.isStroke(key)) return this.stroke.time;
    const { clock, isUnderWay } = this.session.playback;
    return this.fromNow && isUnderWay ? instant(clock.time) : undefined;
  }

  private isStroke(key: string): boolean {
    return key === this.stroke.key && performance.now() - this.stroke.at <= STROKE;
  }

  /** The last move of `path` up to now. */
  private inForce(variant: string | null, path: string): Move | undefined {
    const { moves, playback } = this.session;
    return moves.findLast((move) => move.at <= playback.clock.time && move.path === path && (move.variant === null || move.variant === variant));
  }

  /** A value as a move at `time`, or as another value of the move in force. */
  private moveOf(where: string, value: string, time: number | undefined): Move | undefined {
    const [, name, path = ""] = /^(?:variants\.([\w-]+)\.)?(.*)$/.exec(where) ?? [];
    const variant = name ?? null;
    const [, queue, parameter] = /^(.*\.queue)\.[\w-]+\.([\w-]+)$/.exec(path) ?? [];
    const whole = queue ?? path;
    if (!isMovable(whole)) return undefined;
    const at = time ?? this.inForce(variant, whole)?.at;
    const one = this.session.current.find((each) => each.variant === variant);
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
    const { shown, playback } = this.session;
    const { time: now } = playback.clock;
    const added = moves.flatMap((move) => move ?? []);
    const time = added[0]?.at;
    if (added.length === moves.length && time !== undefined) {
      const others = this.session.moves.filter((one) => !added.some((move) => move.at === one.at && move.path === one.path && move.variant === one.variant));
      if (this.change((text) => withMoves(text, [...others, ...added]), what, shown, key, time)) return;
    }
    // What cannot change in mid-run changes the run from its start.
    this.change(otherwise, this.fromNow && now > 0 ? `${what} (whole run)` : what, shown, key);
  }

  /** Changes the text. A text that is no valid scenario is refused, and the error is shown. */
  change(how: (text: string) => string, what: string, shown = this.session.shown, key = what, time?: number): boolean {
    const before = this.session.text;
    let after: string;
    try {
      after = how(before);
    } catch (error) {
      this.session.problem = problemOf(error);
      return false;
    }
    if (after === before && shown === this.session.shown) return true;
    if (!this.session.use(after, shown)) return false;
    this.session.draft = after;
    if (!this.isStroke(key)) this.undone.push(before);
    this.stroke = { key, at: performance.now(), time };
    this.last = what;
    return true;
  }

  get canUndo(): boolean {
    return this.last !== undefined;
  }

  undo(): void {
    const before = this.undone.pop();
    if (before === undefined) return;
    this.session.draft = before;
    this.stroke = { key: "", at: 0, time: undefined };
    this.session.use(before, this.session.shown);
    if (this.undone.length === 0) this.last = undefined;
  }
}
