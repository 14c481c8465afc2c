/** A against the others over seeds: paired differences with an interval. */
import { student_t } from "../../pkg/weir_wasm.js";
import type { Resolved } from "../core/scenario";
import { Replications } from "./replications.svelte";

export interface Interval {
  /** The mean, and half of the 95% interval. */
  mean: number;
  margin: number;
  count: number;
}

/** Confidence of the intervals. */
const CONFIDENCE = 0.95;

/** The mean of values with its interval; undefined for fewer than two. */
export function intervalOf(values: readonly number[]): Interval | undefined {
  const finite = values.filter(Number.isFinite);
  const count = finite.length;
  if (count < 2) return undefined;
  const mean = finite.reduce((sum, one) => sum + one, 0) / count;
  const variance = finite.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (count - 1);
  return { mean, margin: student_t(count - 1, CONFIDENCE) * Math.sqrt(variance / count), count };
}

/** Measures that are compared. */
export const COMPARED = ["delay_mean", "delay_p99", "utilisation", "loss", "jain"] as const;

/** The differences `b - a`, pair by pair; undefined with fewer than two pairs. */
export function paired(a: readonly number[], b: readonly number[]): Interval | undefined {
  return intervalOf(a.flatMap((one, index) => (b[index] === undefined ? [] : [b[index] - one])));
}

/** Returns true if the interval leaves out zero. */
export function differs({ mean, margin }: Interval): boolean {
  return Math.abs(mean) > margin;
}

export class Comparison {
  readonly runs = new Replications();
  /** The text that was compared. */
  text = $state.raw("");
  private variants = 0;

  /** Whole runs of each variant with `count` seeds, from that of the scenario on. */
  start(text: string, variants: readonly Resolved[], seed: number, count: number): void {
    this.text = text;
    this.variants = variants.length;
    const wanted = COMPARED.map((measure) => ({ measure, group: null }));
    const seeds = Array.from({ length: count }, (_, index) => seed + index);
    this.runs.start(seeds.flatMap((one) => variants.map(({ variant }) => ({ text, variant, seed: one, wanted }))));
  }

  /** The values of one measure by variant, for the seeds that all variants have. */
  values(measure: (typeof COMPARED)[number]): number[][] {
    const { variants, runs } = this;
    const place = COMPARED.indexOf(measure);
    const rounds = Array.from({ length: Math.floor(runs.results.length / Math.max(1, variants)) }, (_, round) =>
      runs.results.slice(round * variants, (round + 1) * variants).flatMap((one) => one?.[place] ?? []),
    );
    const complete = rounds.filter((values) => values.length === variants);
    return Array.from({ length: variants }, (_, variant) => complete.map((values) => values[variant]!));
  }
}
