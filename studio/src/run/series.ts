/** Data of plots, from the rows of a run: rates and means over bins that all runs share. */
import type { View } from "./run";

/**
 * Edges of at most `most` bins in a window, at multiples of the width, so that they stay when the window moves. As many
 * wherever the window is; those of before are overwritten, if they are as many.
 */
export function grid(from: number, to: number, most: number, finest: number, before?: Float64Array): Float64Array {
  const least = Math.max((to - from) / most, finest);
  const power = 10 ** Math.floor(Math.log10(least));
  const width = power * ([1, 2, 5, 10].find((factor) => factor * power >= least * 0.999) ?? 10);
  const first = Math.floor(from / width);
  const count = Math.ceil((to - from) / width - 1e-9) + 2;
  const edges = before?.length === count ? before : new Float64Array(count);
  for (let index = 0; index < count; index++) edges[index] = (first + index) * width;
  return edges;
}

/** The places of the rows at the edges, or `back` seconds before; -1 before the first row, and after the last one that is there. */
export function rowsAt(view: Pick<View, "now" | "ring">, edges: Float64Array, rows: Int32Array, back = 0): void {
  for (let index = 0; index < edges.length; index++) rows[index] = edges[index]! > view.now + 1e-9 ? -1 : view.ring.at(edges[index]! - back);
}

/**
 * Data of a line: a value at each edge, or the growth of one sum per growth of another over each bin; whole columns.
 */
export interface Source {
  above: Float64Array[];
  below: Float64Array[] | undefined;
  factor: number;
  /** A growth is over this time (s), if it is more than a bin. */
  span?: number | undefined;
}

/**
 * Writes a line; whether it is another one than before. A growth stands at the right edge of its bin; it is since the row of
 * the bin before, or since the `earlier` row. Where nothing is
 * known, or nothing grows below, it is NaN. In place, and without a function per value: numbers that a list or an iterator
 * holds are objects, and a page that draws thirty times a second would leave megabytes of them behind.
 */
export function fill({ above, below, factor }: Source, rows: Int32Array, line: Float64Array, earlier?: Int32Array): boolean {
  let changed = false;
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]!;
    const before = !below ? -1 : earlier ? earlier[index]! : index > 0 ? rows[index - 1]! : -1;
    let value = NaN;
    if (!below) {
      value = row < 0 ? NaN : sum(above, row) * factor;
    } else if (row >= 0 && before >= 0 && before !== row) {
      const growth = sum(below, row) - sum(below, before);
      if (growth > 0) value = (factor * (sum(above, row) - sum(above, before))) / growth;
    }
    if (!Number.isFinite(value)) value = NaN;
    if (value !== line[index] && !(Number.isNaN(value) && Number.isNaN(line[index]))) {
      line[index] = value;
      changed = true;
    }
  }
  return changed;
}

function sum(columns: Float64Array[], row: number): number {
  let all = 0;
  for (let place = 0; place < columns.length; place++) all += columns[place]![row] ?? NaN;
  return all;
}

export interface Numbers {
  /** The time from which on all but `now` and `queue` are counted (s). */
  since: number;
  now: number;
  queue: number;
  mean: number;
  p99: number;
  utilisation: number;
  loss: number;
  marks: number;
  jain: number;
  /** Goodput of each group of flows (bit/s). */
  goodput: number[];
}

/** The bottleneck of a run now, and since its last mark: the end of the warm-up, or a change (since the start before that). */
export function numbers(view: View, delays: Bins): Numbers {
  const { ring, port, resolved } = view;
  const last = ring.end - 1;
  const placeAt = (time: number): number => Math.max(ring.start, ring.at(time));
  // A live run counts no delays, and has no marks.
  const from = view.before?.at ?? (view.now > resolved.warmUp ? resolved.warmUp : 0);
  const warm = from > 0 ? placeAt(from) : ring.start;
  const recent = placeAt(view.now - Math.max(0.2, resolved.port.largest_rtt_s));
  const grown = (name: string, from: number): number => {
    const column = ring.whole(name);
    return (column[last] ?? NaN) - (column[from] ?? NaN);
  };
  const [waited, departures, drops, marks] = [port + "waited", port + "departures", port + "drops", port + "marks"];
  // What the link could have sent: what came, what a bucket held, and no more than its peak lets through.
  const atHand = ring.whole(port + "at_hand")[warm] ?? NaN;
  const most = grown(port + "peak", warm);
  const arrivals = grown(departures, warm) + grown(drops, warm);
  return {
    since: from,
    now: grown(waited, recent) / grown(departures, recent),
    queue: ring.last(port + "queue"),
    mean: grown(waited, warm) / grown(departures, warm),
    p99: quantile(delays, 0.99),
    utilisation: (8 * grown(port + "bytes", warm)) / Math.min(atHand + grown(port + "came", warm), most >= 0 ? most : Infinity),
    loss: grown(drops, warm) / arrivals,
    marks: grown(marks, warm) / arrivals,
    jain: view.jain,
    goodput: resolved.network.groups.map(({ name }) => (8 * grown(`flows.${name}.bytes`, warm)) / grown("time", warm)),
  };
}

/** Packets by how long they waited at most (s). */
export interface Bins {
  edges: Float64Array;
  counts: Float64Array;
  /** As many of the places are in use. */
  length: number;
  total: number;
}

/** Delays since the last mark, written into `bins`. Both lists of a view are in the order of time. */
export function since(view: View, bins: Bins = { edges: new Float64Array(), counts: new Float64Array(), length: 0, total: 0 }): Bins {
  const { delays } = view;
  const old = view.before?.delays;
  if (bins.edges.length < delays.length / 2) {
    bins.edges = new Float64Array(delays.length);
    bins.counts = new Float64Array(delays.length);
  }
  bins.length = bins.total = 0;
  let known = 0;
  for (let index = 0; index + 1 < delays.length; index += 2) {
    const edge = delays[index]!;
    while (old && known < old.length && old[known]! < edge) known += 2;
    const count = delays[index + 1]! - (old && old[known] === edge ? old[known + 1]! : 0);
    if (count <= 0) continue;
    bins.edges[bins.length] = edge;
    bins.counts[bins.length++] = count;
    bins.total += count;
  }
  return bins;
}

export function quantile({ edges, counts, length, total }: Bins, part: number): number {
  let sum = 0;
  for (let index = 0; index < length; index++) {
    sum += counts[index]!;
    if (sum >= part * total) return edges[index]!;
  }
  return NaN;
}
