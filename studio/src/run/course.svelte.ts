/** A lesson under way: the answer that was chosen, the control that is to be moved, and what the simulation says. */
import { isIn, lessonOf, movedText, quantities, valueOf, type Lesson, type Quantity, type Term } from "../core/lessons";
import { at, resolve, within, type Resolved } from "../core/scenario";
import { intervalOf, type Interval } from "./comparison.svelte";
import { Replications, type Job } from "./replications.svelte";

/** Seeds with which a lesson is measured, from that of its scenario on. */
export const SEEDS = 5;

/** The part of the page that a course looks at. */
interface Shown {
  readonly current: Resolved[];
  readonly seed: number;
}

const nameOf = (term: Term): string => JSON.stringify(term);

export class Course {
  lesson = $state.raw<Lesson | undefined>();
  /** Number of the answer that is chosen. */
  chosen = $state.raw<number | undefined>();
  /** True once the answer is given: it stays. */
  isGiven = $state.raw(false);
  readonly runs = new Replications();
  private terms: Term[] = [];
  /** The value of the key that is moved, as a resolved scenario has it after the move. */
  private aim = "";

  constructor(private readonly shown: Shown) {}

  /** Begins the lesson of this id; none for an id of something else. */
  open(id: string): void {
    this.runs.clear();
    this.chosen = undefined;
    this.isGiven = false;
    this.lesson = lessonOf(id);
    const { lesson } = this;
    this.terms = [];
    this.aim = "";
    if (!lesson) return;
    const all = quantities(lesson).flatMap(({ first, second }) => (second ? [first, second[1]] : [first]));
    this.terms = [...new Map(all.map((term) => [nameOf(term), term])).values()];
    if (lesson.moved) this.aim = this.valueAt(resolve(movedText(lesson), this.terms[0]!.variant), lesson.moved.path);
  }

  /** True if the key has the value that the lesson moves it to, or if it moves nothing. */
  get isMoved(): boolean {
    const { lesson } = this;
    const [one] = this.shown.current;
    if (!lesson?.moved) return true;
    return one !== undefined && this.valueAt(one, lesson.moved.path) === this.aim;
  }

  /** True if the control of these keys is the one to be moved now. */
  glows(paths: readonly string[]): boolean {
    const path = this.lesson?.moved?.path;
    return path !== undefined && this.isGiven && !this.isMoved && paths.some((one) => one === path || one.endsWith(`.${path}`));
  }

  give(): void {
    if (this.chosen !== undefined) this.isGiven = true;
  }

  /** Runs the scenario before and after the move, with the same seeds. */
  measure(): void {
    const { lesson } = this;
    if (!lesson) return;
    const after = movedText(lesson);
    const first = this.shown.seed;
    const jobs = Array.from({ length: SEEDS }, (_, index) =>
      this.terms.map(({ variant, before, measure, group }): Job => ({ text: before ? lesson.scenario : after, variant, seed: first + index, wanted: [{ measure, group }] })),
    );
    this.runs.start(jobs.flat());
  }

  /** The mean of a quantity with its interval; undefined before all runs are done. */
  measured(quantity: Quantity): Interval | undefined {
    const { terms, runs } = this;
    if (!runs.complete) return undefined;
    const values = Array.from({ length: SEEDS }, (_, seed) => {
      const of = (term: Term): number => runs.results[seed * terms.length + terms.findIndex((one) => nameOf(one) === nameOf(term))]?.[0] ?? NaN;
      return valueOf(quantity, of);
    });
    return intervalOf(values);
  }

  /** Number of the answer that the simulation makes right; undefined before it was asked, or if it is none of them. */
  get right(): number | undefined {
    const { lesson } = this;
    const found = lesson && this.measured(lesson.measured);
    const place = found && lesson.answers.findIndex(({ range }) => isIn(range, found.mean));
    return place === undefined || place < 0 ? undefined : place;
  }

  private valueAt(one: Resolved, path: string): string {
    const own = within(one.variant, "");
    const keys = path.startsWith(own) ? path.slice(own.length) : path;
    return JSON.stringify(at(one.values, keys.split(".")) ?? null);
  }
}
