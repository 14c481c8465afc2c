/** The rate of the queue that limits the flows, which may change in mid-run, and what follows from it. */
import type { Resolved } from "./scenario";

/** The rate in force at `time` (bit/s). */
export function rateAt({ rates }: Resolved, time: number): number {
  let [low, high] = [0, rates.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rates[2 * middle]! <= time + 1e-9) low = middle + 1;
    else high = middle;
  }
  return rates[2 * Math.max(0, low - 1) + 1] ?? NaN;
}

/** Returns true if the rate changes in mid-run. */
export function changesRate({ rates }: Resolved): boolean {
  return rates.length > 2;
}

/** Mean packets that the link sends in a second, at `time`. */
export function packetRate(one: Resolved, time: number): number {
  return rateAt(one, time) / (8 * one.port.mean_packet_bytes);
}
