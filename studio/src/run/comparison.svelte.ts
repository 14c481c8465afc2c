/** A against the others over seeds: paired differences with an interval. */
import { student_t } from "../../pkg/weir_wasm.js";
import type { Measures, Reply, Request } from "../core/protocol";
import type { Resolved } from "../core/scenario";
import { startWorker } from "./run";

export interface Paired {
  /** Mean of the differences, and half of the 95% interval. */
  mean: number;
  margin: number;
  count: number;
}

/** Confidence of the intervals. */
const CONFIDENCE = 0.95;

/** The differences `b - a`, pair by pair; undefined with fewer than two pairs. */
export function paired(a: readonly number[], b: readonly number[]): Paired | undefined {
  const differences = a.flatMap((one, index) => {
    const other = b[index];
    return other !== undefined && Number.isFinite(one) && Number.isFinite(other) ? [other - one] : [];
  });
  const count = differences.length;
  if (count < 2) return undefined;
  const mean = differences.reduce((sum, one) => sum + one, 0) / count;
  const variance = differences.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (count - 1);
  return { mean, margin: student_t(count - 1, CONFIDENCE) * Math.sqrt(variance / count), count };
}

/** Returns true if the interval leaves out zero. */
export function differs({ mean, margin }: Paired): boolean {
  return Math.abs(mean) > margin;
}

export class Comparison {
  /** Measures by variant and replication. */
  results = $state.raw<(Measures | undefined)[][]>([]);
  total = $state.raw(0);
  done = $state.raw(0);
  problem = $state.raw<string | undefined>();
  /** The text that was compared. */
  text = $state.raw("");
  private workers: Worker[] = [];

  get running(): boolean {
    return this.done < this.total;
  }

  /** Whole runs of each variant with `count` seeds, from that of the scenario on. */
  start(text: string, variants: readonly Resolved[], seed: number, count: number): void {
    this.stop();
    this.text = text;
    this.problem = undefined;
    this.done = 0;
    const jobs: [number, number][] = [];
    for (let replication = 0; replication < count; replication++) variants.forEach((_, variant) => jobs.push([variant, replication]));
    this.total = jobs.length;
    this.results = variants.map(() => Array.from({ length: count }, () => undefined));
    // One core stays for the page.
    const cores = Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
    const take = (worker: Worker): void => {
      const job = jobs.shift();
      if (!job) {
        worker.terminate();
        return;
      }
      const [variant, replication] = job;
      worker.onmessage = (event: MessageEvent<Reply>) => {
        const reply = event.data;
        if (reply.kind === "replicated") {
          this.results = this.results.map((row, index) => (index === variant ? row.map((one, place) => (place === replication ? reply.measures : one)) : row));
          this.done += 1;
          take(worker);
        } else {
          this.problem = reply.kind === "problem" ? reply.problem.message : reply.kind === "trap" ? reply.message : undefined;
          this.stop();
        }
      };
      worker.postMessage({ kind: "replicate", id: 0, text, name: "scenario", variant: variants[variant]?.variant ?? null, seed: seed + replication } satisfies Request);
    };
    this.workers = Array.from({ length: cores }, startWorker);
    this.workers.forEach(take);
  }

  stop(): void {
    for (const worker of this.workers) worker.terminate();
    this.workers = [];
    this.total = this.done;
  }

  /** The values of one measure by variant, replications that all variants have. */
  values(measure: keyof Measures): number[][] {
    const complete = (this.results[0] ?? []).map((_, index) => this.results.every((row) => row[index] !== undefined));
    return this.results.map((row) => row.flatMap((one, index) => (complete[index] && one ? [one[measure]] : [])));
  }
}
