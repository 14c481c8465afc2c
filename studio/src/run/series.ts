/** What plots show, from the rows of a run: rates and means over bins that all runs share. */
import { at, linkPath, type Resolved } from "../core/scenario";
import { parseQuantity } from "../core/units";
import type { View } from "./run";

/** Edges of at most `most` bins in a window, at multiples of the width, so that they stay when the window moves. */
export function grid(from: number, to: number, most: number, finest: number): Float64Array {
  const least = Math.max((to - from) / most, finest);
  const power = 10 ** Math.floor(Math.log10(least));
  const width = power * ([1, 2, 5, 10].find((factor) => factor * power >= least * 0.999) ?? 10);
  const first = Math.floor(from / width);
  const count = Math.max(2, Math.ceil(to / width) - first + 1);
  return Float64Array.from({ length: count }, (_, index) => (first + index) * width);
}

/** The rows at the edges; -1 before the first row, and after the last one that is there. */
export function rowsAt(view: View, edges: Float64Array): Int32Array {
  return Int32Array.from(edges, (edge) => (edge > view.now + 1e-9 ? -1 : view.ring.at(edge)));
}

export type Line = (number | null)[];

/** The value at each edge. */
export function values(view: View, rows: Int32Array, name: string, factor = 1): Line {
  const column = view.ring.column(name);
  return Array.from(rows, (row) => {
    const value = row < 0 ? undefined : column[row];
    return value === undefined || !Number.isFinite(value) ? null : value * factor;
  });
}

/** The growth of one sum per growth of another over each bin; at its right edge. Null where the latter does not grow. */
export function ratio(view: View, rows: Int32Array, above: string[], below: string[], factor = 1): Line {
  const sum = (names: string[], row: number): number => names.reduce((all, name) => all + (view.ring.column(name)[row] ?? NaN), 0);
  return Array.from(rows, (row, index) => {
    const before = rows[index - 1];
    if (row < 0 || before === undefined || before < 0 || before === row) return null;
    const growth = sum(below, row) - sum(below, before);
    return growth > 0 ? (factor * (sum(above, row) - sum(above, before))) / growth : null;
  });
}

export interface Numbers {
  now: number;
  queue: number;
  mean: number;
  p99: number;
  utilisation: number;
  loss: number;
  marks: number;
  jain: number;
  /** Of each group of flows (bit/s). */
  goodput: number[];
}

/** The bottleneck of a run now, and since the end of its warm-up (since the start as long as that lasts). */
export function numbers(view: View): Numbers {
  const { ring, port, resolved } = view;
  const last = ring.length - 1;
  const warm = view.now > resolved.warmUp ? Math.max(0, ring.at(resolved.warmUp)) : 0;
  const recent = Math.max(0, ring.at(view.now - Math.max(0.2, resolved.port.largest_rtt_s)));
  const grown = (name: string, from: number): number => {
    const column = ring.column(name === "time" ? name : port + name);
    return (column[last] ?? NaN) - (column[from] ?? NaN);
  };
  const arrivals = grown("departures", warm) + grown("drops", warm);
  return {
    now: grown("waited", recent) / grown("departures", recent),
    queue: ring.last(port + "queue"),
    mean: grown("waited", warm) / grown("departures", warm),
    p99: quantile(since(view), 0.99),
    utilisation: (8 * grown("bytes", warm)) / capacity(resolved, ring.column("time")[warm] ?? NaN, view.now),
    loss: grown("drops", warm) / arrivals,
    marks: grown("marks", warm) / arrivals,
    jain: view.jain,
    goodput: resolved.network.groups.map(({ name }) => {
      const bytes = ring.column(`flows.${name}.bytes`);
      return (8 * ((bytes[last] ?? NaN) - (bytes[warm] ?? NaN))) / grown("time", warm);
    }),
  };
}

/** What the link could have sent from one instant to another (bit), with the changes of its rate. */
function capacity({ port, values }: Resolved, from: number, to: number): number {
  const schedule = at(values, [...linkPath(port), "rate_schedule"]);
  const steps = (Array.isArray(schedule) ? schedule : []).map((step) => ({
    at: parseQuantity(at(step, ["at"]))?.value ?? NaN,
    rate: parseQuantity(at(step, ["rate"]))?.value ?? NaN,
  }));
  if (at(values, [...linkPath(port), "rate_period"]) !== undefined) return port.rate_bps * (to - from);
  let [sum, time, rate] = [0, from, parseQuantity(at(values, [...linkPath(port), "rate"]))?.value ?? port.rate_bps];
  for (const step of steps) {
    if (step.at >= to) break;
    if (step.at > time) {
      sum += rate * (step.at - time);
      time = step.at;
    }
    rate = step.rate;
  }
  return sum + rate * (to - time);
}

/** Pairs of time (s) and packets since the end of the warm-up. */
export function since(view: View): [number, number][] {
  const before = new Map<number, number>();
  const old = view.before ?? new Float64Array();
  for (let index = 0; index + 1 < old.length; index += 2) before.set(old[index]!, old[index + 1]!);
  const bins: [number, number][] = [];
  for (let index = 0; index + 1 < view.delays.length; index += 2) {
    const edge = view.delays[index]!;
    const count = view.delays[index + 1]! - (before.get(edge) ?? 0);
    if (count > 0) bins.push([edge, count]);
  }
  return bins;
}

export function quantile(bins: [number, number][], part: number): number {
  const wanted = part * bins.reduce((sum, [, count]) => sum + count, 0);
  let sum = 0;
  for (const [edge, count] of bins) {
    sum += count;
    if (sum >= wanted) return edge;
  }
  return NaN;
}
