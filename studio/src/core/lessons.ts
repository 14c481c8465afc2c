/** Lessons: Markdown files with a scenario, a question, and answers that a simulation decides. The core reads them. */
import { lesson as read } from "../../pkg/weir_wasm.js";
import files from "virtual:weir-lessons";
import { MEASURES, type MeasureName } from "./measures";
import { edit } from "./scenario";
import { unpack } from "./share";

/** One measure of one variant, before the move or after it. */
export interface Term {
  measure: MeasureName;
  /** The flow group; null for all flows. */
  group: string | null;
  variant: string | null;
  before: boolean;
}

export interface Quantity {
  first: Term;
  second: ["minus" | "over", Term] | null;
  unit: string;
  /** As the lesson has it. */
  written: string;
}

/** The values for which words are right: above `low` and up to `high`; null has no border. */
export interface Range {
  low: number | null;
  high: number | null;
}

export interface Answer {
  html: string;
  text: string;
  range: Range;
  /** The one that the author says is right. */
  right: boolean;
}

export interface Claim {
  html: string;
  measured: Quantity;
  range: Range;
}

/** As the core reads it. HTML is of a few tags alone: what an author writes as HTML is text. */
export interface Lesson {
  title: string;
  text: string;
  scenario: string;
  /** The variable of the second plot. */
  shows: string | null;
  question: string;
  answers: Answer[];
  measured: Quantity;
  /** The key that the student moves, and its value in TOML. */
  moved: { path: string; value: string } | null;
  why: string;
  claims: Claim[];
}

/** Weir's own: names and titles. */
export const LESSONS: readonly { id: string; title: string; text: string }[] = files;

/** Reads a lesson. Throws a ScenarioError. */
export function parseLesson(text: string, file: string): Lesson {
  return JSON.parse(read(text, file)) as Lesson;
}

const known = new Map<string, Lesson>();

/** The lesson of this id: one of Weir's, `lesson/NAME`, or one that was learnt. Undefined for any other. */
export function lessonOf(id: string): Lesson | undefined {
  const file = LESSONS.find((one) => id === `lesson/${one.id}`);
  if (!known.has(id) && file) known.set(id, parseLesson(file.text, `${file.id}.md`));
  return known.get(id);
}

/** The id of somebody's own lesson begins with it; the packed text follows. */
export const OWN = "l=";

/** Learns a lesson from its packed text. Throws a `RefusedLink`, and a ScenarioError for a text that is no lesson. */
export async function learn(id: string): Promise<Lesson> {
  const lesson = lessonOf(id) ?? parseLesson(await unpack(id.slice(OWN.length)), "lesson");
  known.set(id, lesson);
  return lesson;
}

/** The scenario after the move. */
export function movedText({ scenario, moved }: Lesson): string {
  return moved ? edit(scenario, moved.path, moved.value) : scenario;
}

export function isIn({ low, high }: Range, value: number): boolean {
  return (low === null || value > low) && (high === null || value <= high);
}

/** All that a lesson measures: for its question, then for its claims. */
export function quantities(lesson: Lesson): Quantity[] {
  return [lesson.measured, ...lesson.claims.map((claim) => claim.measured)];
}

/** The value of a quantity, where `of` has the values of its terms. */
export function valueOf({ first, second }: Quantity, of: (term: Term) => number): number {
  if (!second) return of(first);
  const [operation, other] = second;
  return operation === "over" ? of(first) / of(other) : of(first) - of(other);
}

/** A quantity in words: `Mean delay of A ÷ Mean delay of A before`. `letter` names a variant. */
export function inWords({ first, second }: Quantity, letter: (variant: string | null) => string): string {
  const words = ({ measure, group, variant, before }: Term): string => {
    const of = letter(variant);
    return `${MEASURES[measure].title.toLowerCase()}${group === null ? "" : ` of ${group}`}${of && ` in ${of}`}${before ? " before" : ""}`;
  };
  const text = second ? `${words(first)} ${second[0] === "over" ? "÷" : "−"} ${words(second[1])}` : words(first);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
