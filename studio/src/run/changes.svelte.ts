/** Changes of the scenario by controls: of its text, or as moves in mid-run where that can be; and undo. */
import { demandText, type Demand } from "../core/demand";
import { History } from "../core/history";
import { problemOf, type Problem } from "../core/protocol";
import { needed, toldNeeds, withCongestion } from "../core/controls";
import { instant, isMovable, movedText, queueWith, withMoves, type Move } from "../core/moves";
import { edit, withDiscipline, within, type Json, type Resolved, type Table } from "../core/scenario";
import { digits } from "../core/units";
import type { Playback } from "./playback.svelte";

/** The scenario that is changed. */
interface Changed {
  text: string;
  draft: string;
  problem: Problem | undefined;
  /** The draft is no valid scenario. */
  readonly broken: boolean;
  /** The end of the axis of time (s). */
  readonly whole: number;
  readonly shown: (string | null)[];
  readonly current: Resolved[];
  readonly moves: Move[];
  readonly playback: Playback;
  /** A question that waits for an answer. */
  readonly asked: { demand: Demand } | undefined;
  use(text: string, shown: (string | null)[] | null, anew?: boolean, again?: () => unknown): boolean;
}

/** A state of the scenario, as undo brings it back. */
interface State {
  text: string;
  shown: (string | null)[];
}

/** Strokes of one control that follow each other within this time (ms) are one step of undo. */
const STROKE = 1500;

export class Changes {
  /** A control that is moved in the middle of a run changes it from then on, playing or not; otherwise the whole run. */
  fromNow = $state.raw(true);
  /** Words for the last change, and for the one that redo would make. */
  last = $state.raw<string | undefined>();
  /** Needs that a choice has brought, in words, by the key of its control, until it is made anew. */
  said = $state.raw<Record<string, string>>({});
  /** The last change, if it was refused, and the keys of its control; none if that shows no errors. */
  refused = $state.raw<{ paths: readonly string[]; problem: Problem } | undefined>();
  next = $state.raw<string | undefined>();
  private readonly history = new History<State>(({ text }) => text.length);
  /** The last stroke of a control, when it was, and the simulated time of its move. */
  private stroke: { key: string; at: number; time: number | undefined } = { key: "", at: 0, time: undefined };

  constructor(private readonly session: Changed) {}

  /** Forgets what was changed. */
  clear(): void {
    this.history.clear();
    this.stroke = { key: "", at: 0, time: undefined };
    this.said = {};
    this.refused = undefined;
    this.name();
  }

  /** The error at the control of these keys: of the value that it was last set to, or of the text. */
  wrongAt(paths: readonly string[]): Problem | undefined {
    const { refused, session } = this;
    if (refused?.paths.some((path) => paths.includes(path))) return refused.problem;
    const { problem } = session;
    return session.broken && problem?.path !== undefined && paths.some((path) => path === problem.path || path.endsWith(`.${problem.path}`)) ? problem : undefined;
  }

  /** One value of the scenario, in TOML. */
  set(path: string, value: string, what: string): void {
    this.setAll([[path, value]], what);
  }

  /** A value, and what it needs beside it; `name` stands for it where that is told. */
  choose(path: string, value: string, what: string, name: string): void {
    const needs = needed(this.session.text, path, value, this.session.shown);
    this.setAll([[path, value], ...needs.map((need): [string, string | null] => [need.path, need.value])], what);
    this.tell(path, toldNeeds(name, needs));
  }

  /** Another congestion control at the group of this key, and what it needs. */
  setCongestion(group: string, control: string, what: string, name: string): void {
    const path = `${group}.tcp.congestion`;
    const told = toldNeeds(name, needed(this.session.text, `${path}.${control}`, "{}", this.session.shown));
    if (this.change((text) => withCongestion(text, group, control, this.session.shown), what, this.session.shown, path, undefined, [path])) this.tell(path, told);
  }

  private tell(path: string, text: string): void {
    this.said = { ...this.said, [path]: this.refused === undefined ? text : "" };
  }

  /**
   * Sets several values, or takes the key away where there is none. In the middle of a run they change at this instant, if
   * they can. A value that a move in force has set changes with the move. All others change the run from its start.
   */
  setAll(values: [path: string, value: string | null][], what: string): void {
    const key = values.map(([path]) => path).join();
    const queues = new Map<string, Resolved>();
    const moves = values.map(([path, value]) => (value === null ? undefined : this.moveOf(path, value, this.instantOf(key), queues)));
    // Of several moves of one queue the last has all.
    const last = moves.map((move, place) => (move && moves.some((other, later) => later > place && other?.path === move.path && other.variant === move.variant) ? [] : [move]));
    this.move(last.flat(), what, key, values.map(([path]) => path), (text) => values.reduce((all, [path, value]) => edit(all, path, value ?? undefined), text));
  }

  /** Another discipline, with its defaults, at the queue of `one`. */
  setDiscipline(one: Resolved, name: string, what: string): void {
    const path = `${one.port.key}.queue`;
    const key = within(one.variant, path);
    const time = this.instantOf(key) ?? this.inForce(one.variant, path)?.at;
    const move = time === undefined ? undefined : { at: time, path, value: { [name]: {} }, variant: one.variant };
    this.move([move], what, key, [key], (text) => withDiscipline(text, one, name));
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

  /** A value as a move at `time`, or as another value of the move in force; `queues` are as the moves before it leave them. */
  private moveOf(where: string, value: string, time: number | undefined, queues: Map<string, Resolved>): Move | undefined {
    const [, name, path = ""] = /^(?:variants\.([\w-]+)\.)?(.*)$/.exec(where) ?? [];
    const variant = name ?? null;
    const [, queue, parameter] = /^(.*\.queue)\.[\w-]+\.([\w-]+)$/.exec(path) ?? [];
    const whole = queue ?? path;
    if (!isMovable(whole)) return undefined;
    const at = time ?? this.inForce(variant, whole)?.at;
    const one = queues.get(within(variant, whole)) ?? this.session.current.find((each) => each.variant === variant);
    try {
      const plain = JSON.parse(value) as Json;
      if (at === undefined || (parameter !== undefined && !one)) return undefined;
      if (parameter === undefined) return { at, path: whole, value: plain, variant };
      const changed = queueWith(one!, parameter, plain);
      queues.set(within(variant, whole), { ...one!, parameters: changed[one!.discipline] as Table });
      return { at, path: whole, value: changed, variant };
    } catch {
      return undefined;
    }
  }

  /** Adds moves, if there are any and the scenario allows them; else changes the text as `otherwise` says. */
  private move(moves: (Move | undefined)[], what: string, key: string, paths: readonly string[], otherwise: (text: string) => string): void {
    const { shown, playback } = this.session;
    const { time: now } = playback.clock;
    const added = moves.flatMap((move) => move ?? []);
    const time = added[0]?.at;
    if (added.length === moves.length && time !== undefined) {
      const others = this.session.moves.filter((one) => !added.some((move) => move.at === one.at && move.path === one.path && move.variant === one.variant));
      if (this.change((text) => withMoves(text, [...others, ...added]), what, shown, key, time, paths) || this.session.asked) return;
    }
    // What cannot change in mid-run changes the run from its start.
    this.change(otherwise, this.fromNow && now > 0 ? `${what} (whole run)` : what, shown, key, undefined, paths);
  }

  /**
   * Changes the text. A text that is no valid scenario is refused, and the error is shown at the control of `paths`. While
   * somebody repairs the text, nothing changes it.
   */
  change(how: (text: string) => string, what: string, shown = this.session.shown, key = what, time?: number, paths: readonly string[] = []): boolean {
    if (this.session.broken) return false;
    const before = this.session.text;
    let after: string;
    try {
      after = how(before);
    } catch (error) {
      this.refused = { paths, problem: problemOf(error) };
      return false;
    }
    this.refused = undefined;
    if (after === before && shown === this.session.shown) return true;
    const former = this.session.shown;
    if (!this.session.use(after, shown, false, () => this.change(how, what, shown, key, time, paths))) {
      const { problem, asked } = this.session;
      this.session.problem = undefined;
      // Until the answer what was typed stays in its field.
      if (problem) this.refused = { paths, problem };
      else if (asked) this.refused = { paths, problem: { message: demandText(asked.demand) } };
      return false;
    }
    this.session.draft = after;
    this.history.add({ before: { text: before, shown: former }, after: { text: after, shown: this.session.shown }, what }, this.isStroke(key));
    this.stroke = { key, at: performance.now(), time };
    this.name();
    return true;
  }

  /** The text of the editor, as far as it is a scenario; the session says why if it is none. */
  typed(text: string): boolean {
    const before = { text: this.session.text, shown: this.session.shown };
    if (!this.session.use(text, before.shown, false, () => this.typed(text))) return false;
    this.refused = undefined;
    this.history.add({ before, after: { text, shown: this.session.shown }, what: "text edited" }, this.isStroke("text"));
    this.stroke = { key: "text", at: performance.now(), time: undefined };
    this.name();
    return true;
  }

  /** Names what undo and redo would do. */
  private name(): void {
    this.last = this.history.last?.what;
    this.next = this.history.next?.what;
  }

  /** True if there is something to undo: a change, or a text that is no scenario. */
  get canUndo(): boolean {
    return this.last !== undefined || this.session.draft !== this.session.text;
  }

  get canRedo(): boolean {
    return this.next !== undefined;
  }

  /** Takes back a text that is no scenario, or else the last change. */
  undo(): void {
    const { draft, text, shown } = this.session;
    this.go(draft === text ? this.history.undo() : { text, shown });
  }

  /** Makes the change again that was undone last. */
  redo(): void {
    this.go(this.history.redo());
  }

  private go(to: State | undefined): void {
    if (!to) return;
    this.refused = undefined;
    this.said = {};
    this.session.draft = to.text;
    this.stroke = { key: "", at: 0, time: undefined };
    this.session.use(to.text, to.shown);
    this.name();
  }
}
