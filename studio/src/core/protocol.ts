/** Messages between the page and a worker. */
import type { Wanted } from "./measures";

/** An error in a scenario, in the simulator's own words. */
export interface Problem {
  message: string;
  line?: number;
  path?: string;
  hint?: string;
}

export type Request =
  | { kind: "start"; module: WebAssembly.Module }
  /** Statistics begin anew at each of the `marks` (s, in their order): the end of the warm-up, and the changes after it. */
  | { kind: "load"; id: number; text: string; name: string; variant: string | null; port: number; marks: number[] }
  /**
   * Run towards `until`, keep a row every `every` (s); with `follow`, what each packet does at the queue. The worker
   * also looks `lately` (s) before `until`. It sends so many `answers` at most, fewer if it comes to `until` or is asked for something else.
   * With `mechanism`, each answer has that of the queue, and the window of `flow` if there is one.
   */
  | { kind: "sample"; id: number; until: number; every: number; follow: boolean; answers: number; lately: number; mechanism: boolean; flow: number | null }
  /** The fluid model of variant number `place`, a row every `every` (s). */
  | { kind: "fluid"; id: number; place: number; text: string; name: string; variant: string | null; every: number }
  /** Counts from one instant to another (s), at queue number `port`. */
  | { kind: "span"; id: number; place: number; text: string; name: string; variant: string | null; port: number; from: number; to: number }
  /** A whole run, for the values of its measures. */
  | { kind: "replicate"; id: number; text: string; name: string; variant: string | null; seed: number; wanted: readonly Wanted[] };

/** All sums at an instant: a row, and pairs of a delay's upper edge (s) and packets. */
export interface Mark {
  at: number;
  row: Float64Array;
  delays: Float64Array;
}

/** How a queue decides at an instant (s), as `Mechanism` of the module has it. */
export interface Mechanism {
  at: number;
  variable: string | undefined;
  dot: Float64Array;
  curve: Float64Array;
  queues: Float64Array;
}

export type Reply =
  | { kind: "loaded"; id: number; columns: string[] }
  | {
      kind: "rows";
      id: number;
      now: number;
      /** Rows, if there are any. */
      rows: Float64Array | null;
      /** The sums of this instant, now and then, and where the run was asked to go. */
      here: Mark | null;
      /** The row `lately` before this instant, with `here`, if the run has come by. */
      lately: Float64Array | null;
      /** The marks that have passed since the last answer. */
      marks: Mark[];
      /** Jain's fairness index since the last mark, with `here`; NaN before the first. */
      jain: number;
      /** If packets are followed. */
      steps: Float64Array | null;
      mechanism: Mechanism | null;
      /** Window (packets) and round trip (s) of the flow that is asked for; no values before its first round trip. */
      window: { flow: number; values: Float64Array } | null;
      ended: boolean;
      /** Another answer follows unasked. */
      going: boolean;
    }
  /** How much of a span has been simulated, from 0 to 1. */
  | { kind: "counting"; id: number; place: number; part: number }
  /** Both ends of a span, and Jain's fairness index within. */
  | { kind: "span"; id: number; place: number; columns: string[]; from: Mark; to: Mark; jain: number }
  /** Rows, or the reason why there is no model. */
  | { kind: "fluid"; id: number; place: number; columns: string[]; rows: Float64Array | null; reason: string | undefined }
  /** The values that were wanted, in their order. */
  | { kind: "replicated"; id: number; values: number[] }
  | { kind: "problem"; id: number; problem: Problem }
  | { kind: "trap"; id: number; message: string };

/** The properties of a ScenarioError; others have a message only. */
export function problemOf(error: unknown): Problem {
  const { message, line, path, hint } = error as Partial<Problem>;
  return {
    message: message ?? String(error),
    ...(line === undefined ? {} : { line }),
    ...(path === undefined ? {} : { path }),
    ...(hint === undefined ? {} : { hint }),
  };
}
