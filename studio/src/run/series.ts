/** Data of plots, from the rows of a run: rates and means over bins that all runs share. */
import { partsOf } from "./mechanism";
import { markAt, momentsOf, newest, shownAt, type View } from "./run";

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
  const known = newest(view) + 1e-9;
  for (let index = 0; index < edges.length; index++) rows[index] = edges[index]! > known ? -1 : view.ring.at(edges[index]! - back);
}

/**
 * Data of a line: a value at each edge, or the growth of one sum per growth of another over each bin; whole columns.
 */
export interface Source {
  above: Float64Array[];
  below: Float64Array[] | undefined;
  factor: number;
  /** Least and greatest values of a level, whole columns. */
  envelope?: [low: Float64Array, high: Float64Array] | undefined;
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

/** Writes the least and the greatest value of a level in each bin. */
export function fillBand({ envelope, factor }: Source, rows: Int32Array, low: Float64Array, high: Float64Array): void {
  if (!envelope) return;
  const [lows, highs] = envelope;
  for (let index = 0; index < rows.length; index++) {
    const row = rows[index]!;
    const before = index > 0 ? rows[index - 1]! : -1;
    let [least, greatest] = [Infinity, -Infinity];
    for (let one = before < 0 ? row : Math.min(row, before + 1); one >= 0 && one <= row; one++) {
      if (lows[one]! < least) least = lows[one]!;
      if (highs[one]! > greatest) greatest = highs[one]!;
    }
    low[index] = least <= greatest ? least * factor : NaN;
    high[index] = least <= greatest ? greatest * factor : NaN;
  }
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
  /** Flow groups, if there are several, and classes of packets. */
  parts: PartNumbers[];
}

/** Packets of one flow group or class at the bottleneck. */
export interface PartNumbers {
  kind: "class" | "group";
  name: string;
  /** Mean sojourn time (s). */
  delay: number;
  /** Goodput of a group; of a class what it has sent (bit/s). */
  rate: number;
}

/** Sums of a run at one instant, by the name of a column; NaN where one is not known. */
export type Sums = (column: string) => number;

/** The sums in a row that has these columns. */
export function sumsOf(columns: readonly string[], row: Float64Array): Sums {
  return (name) => row[columns.indexOf(name)] ?? NaN;
}

/** The sums of the last row up to `time`; before the first row those of the first. */
export function sumsAt({ ring }: Pick<View, "ring">, time: number): Sums {
  const row = Math.max(0, ring.at(time));
  return (name) => (ring.length > 0 ? ring.value(name, row) : NaN);
}

/** Counts between two instants. */
export type Counted = Omit<Numbers, "now" | "queue" | "since">;

/** Measures of the bottleneck from one instant to another, with the delays and the fairness in between. */
export function counted({ port, resolved, ring }: Pick<View, "port" | "resolved" | "ring">, from: Sums, to: Sums, delays: Bins, jain: number): Counted {
  const grown = (name: string): number => to(name) - from(name);
  const part = (kind: PartNumbers["kind"], name: string, bytes: string): PartNumbers => {
    const column = `${port}${kind}.${name}.`;
    return { kind, name, delay: grown(column + "waited") / grown(column + "departures"), rate: (8 * grown(bytes)) / grown("time") };
  };
  const { classes, groups } = partsOf({ port, ring });
  const departures = grown(port + "departures");
  const drops = grown(port + "drops");
  // What the link could have sent: what came, what a bucket held, and no more than its peak lets through.
  const most = grown(port + "peak");
  return {
    mean: grown(port + "waited") / departures,
    p99: quantile(delays, 0.99),
    utilisation: (8 * grown(port + "bytes")) / Math.min(from(port + "at_hand") + grown(port + "came"), most >= 0 ? most : Infinity),
    loss: drops / (departures + drops),
    marks: grown(port + "marks") / (departures + drops),
    jain,
    goodput: resolved.network.groups.map(({ name }) => (8 * grown(`flows.${name}.bytes`)) / grown("time")),
    parts: [...groups.map((name) => part("group", name, `flows.${name}.bytes`)), ...classes.map((name) => part("class", name, `${port}class.${name}.bytes`))],
  };
}

/** The bottleneck of a run at the instant that is shown, and since the mark before: the end of the warm-up, or a change (since the start before that). */
export function numbers(view: View, delays: Bins): Numbers {
  const { ring, port, resolved } = view;
  const time = shownAt(view);
  // A live run counts no delays, and has no marks.
  const mark = markAt(view, time);
  const since = mark?.at ?? (time > resolved.warmUp ? resolved.warmUp : 0);
  const isHere = view.here !== undefined && Math.abs(view.here.at - time) < 1e-8;
  const now = isHere ? sumsOf(ring.columns, view.here!.row) : sumsAt(view, time);
  const recent = isHere && view.lately ? sumsOf(ring.columns, view.lately) : sumsAt(view, time - momentsOf(resolved));
  // Rows lie apart, and old ones further: what was counted at the very instants is better.
  const to = view.here && view.here.at > since ? sumsOf(ring.columns, view.here.row) : now;
  const from = mark ? sumsOf(ring.columns, mark.row) : sumsAt(view, since);
  return {
    since,
    now: (now(port + "waited") - recent(port + "waited")) / (now(port + "departures") - recent(port + "departures")),
    queue: now(port + "queue"),
    ...counted(view, from, to, delays, view.jain),
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

/** Delays since the mark before the instant that is shown, written into `bins`. */
export function since(view: View, bins?: Bins): Bins {
  return between(markAt(view, shownAt(view))?.delays, view.here?.delays ?? new Float64Array(), bins);
}

/** Delays that `delays` has and `old` has not, written into `bins`. Both lists are sums, in the order of the edges. */
export function between(old: Float64Array | undefined, delays: Float64Array, bins: Bins = { edges: new Float64Array(), counts: new Float64Array(), length: 0, total: 0 }): Bins {
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
