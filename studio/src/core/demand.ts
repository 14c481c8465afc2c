/** Rough needs of runs, for the page to ask before it takes very much. */
import { Scenario } from "../../pkg/weir_wasm.js";
import { digits } from "./units";

/** Needs of runs together. */
export interface Demand {
  /** Flows of one run, the largest. */
  flows: number;
  /** Bytes. */
  memory: number;
  /** Seconds of a core. */
  seconds: number;
}

/** More memory (bytes) is not taken unasked: a telephone has some gigabytes for all its pages. Time is: a run can be paused. */
const MEMORY = 4e8;

/** The demand of the runs of these variants. Throws a ScenarioError. */
export function demandOf(text: string, shown: readonly (string | null)[]): Demand {
  const all = shown.map((variant) => {
    const scenario = new Scenario(text, "scenario", variant);
    const [flows = 0, memory = 0, seconds = 0] = scenario.demand();
    scenario.free();
    return { flows, memory, seconds };
  });
  const sum = (of: (one: Demand) => number): number => all.reduce((total, one) => total + of(one), 0);
  return { flows: Math.max(...all.map((one) => one.flows)), memory: sum((one) => one.memory), seconds: sum((one) => one.seconds) };
}

/** So many times what was allowed is no question again. */
const AGAIN = 1.5;

/** Returns true if somebody should be asked first, who has allowed so much before. */
export function isMuch({ memory }: Demand, allowed: Demand | undefined): boolean {
  return memory > Math.max(MEMORY, AGAIN * (allowed?.memory ?? 0));
}

/** The demand in words: `1,000,000 flows need about 1.6 GB of memory and 3 min of computing`. */
export function demandText({ flows, memory, seconds }: Demand): string {
  const size = memory >= 1e9 ? `${digits(memory / 1e9, 2)} GB` : `${digits(memory / 1e6, 2)} MB`;
  const time = seconds >= 7200 ? `${digits(seconds / 3600, 2)} h` : seconds >= 120 ? `${digits(seconds / 60, 2)} min` : `${digits(Math.max(1, seconds), 2)} s`;
  return `${Math.round(flows).toLocaleString("en")} flows need about ${size} of memory and ${time} of computing`;
}
