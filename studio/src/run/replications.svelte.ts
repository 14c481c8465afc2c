/** Whole runs with several seeds, on the cores that are free, for the values of their measures. */
import type { Wanted } from "../core/measures";
import type { Reply, Request } from "../core/protocol";
import { startWorker } from "./run";

export interface Job {
  text: string;
  variant: string | null;
  seed: number;
  wanted: readonly Wanted[];
}

export class Replications {
  /** The values of each job, once it is done. */
  results = $state.raw<(number[] | undefined)[]>([]);
  done = $state.raw(0);
  total = $state.raw(0);
  problem = $state.raw<string | undefined>();
  private workers: Worker[] = [];

  get running(): boolean {
    return this.done < this.total;
  }

  /** True if all are done. */
  get complete(): boolean {
    return this.total > 0 && this.results.length === this.total && this.results.every((one) => one !== undefined);
  }

  start(jobs: readonly Job[]): void {
    this.stop();
    this.problem = undefined;
    this.done = 0;
    this.total = jobs.length;
    this.results = jobs.map(() => undefined);
    const waiting = jobs.map((job, place) => ({ ...job, place }));
    // One core stays for the page.
    const cores = Math.max(1, Math.min(4, (navigator.hardwareConcurrency || 2) - 1));
    const take = (worker: Worker): void => {
      const job = waiting.shift();
      if (!job) {
        worker.terminate();
        return;
      }
      const { place, text, variant, seed, wanted } = job;
      worker.onmessage = (event: MessageEvent<Reply>) => {
        const reply = event.data;
        if (reply.kind === "replicated") {
          this.results = this.results.map((one, index) => (index === place ? reply.values : one));
          this.done += 1;
          take(worker);
        } else {
          this.problem = reply.kind === "problem" ? reply.problem.message : reply.kind === "trap" ? reply.message : undefined;
          this.stop();
        }
      };
      worker.postMessage({ kind: "replicate", id: 0, text, name: "scenario", variant, seed, wanted } satisfies Request);
    };
    this.workers = Array.from({ length: Math.min(cores, jobs.length) }, startWorker);
    this.workers.forEach(take);
  }

  /** Ends what runs; what is done stays. */
  stop(): void {
    for (const worker of this.workers) worker.terminate();
    this.workers = [];
    this.total = this.done;
  }

  /** Forgets all. */
  clear(): void {
    this.stop();
    Object.assign(this, { results: [], done: 0, total: 0, problem: undefined });
  }
}
