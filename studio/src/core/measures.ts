/** Measures of a run, as `weir.stats` has them. */

interface Measure {
  title: string;
  unit: string;
  /** Where the tables of a run have it, and the factor to its unit. */
  table: "links" | "groups";
  column: string;
  factor: number;
}

export const MEASURES = {
  delay_mean: { title: "Mean delay", unit: "ms", table: "links", column: "delay_mean_ms", factor: 1 },
  delay_p99: { title: "Delay p99", unit: "ms", table: "links", column: "delay_p99_ms", factor: 1 },
  mean_queue: { title: "Mean queue", unit: "packets", table: "links", column: "queue_mean", factor: 1 },
  utilisation: { title: "Utilisation", unit: "%", table: "links", column: "utilisation", factor: 100 },
  goodput: { title: "Goodput", unit: "%", table: "groups", column: "goodput", factor: 100 },
  loss: { title: "Loss", unit: "%", table: "groups", column: "loss", factor: 100 },
  mark_fraction: { title: "Marked", unit: "%", table: "links", column: "mark_fraction", factor: 100 },
  jain: { title: "Jain index", unit: "", table: "groups", column: "jain", factor: 1 },
} as const satisfies Record<string, Measure>;

export type MeasureName = keyof typeof MEASURES;

/** A measure of the bottleneck, of all flows, or of a flow group, over the measured part of a run. */
export interface Wanted {
  measure: MeasureName;
  group: string | null;
}

/** Tables of a run: columns by name. A column of names has codes. */
export type Tables = Record<string, Record<string, unknown>>;

interface Names {
  codes: Uint32Array;
  names: string[];
}

/** The values that are wanted of a run, in their order. */
export function measured(tables: Tables, wanted: readonly Wanted[]): number[] {
  // The first row of the bottleneck, and the first of a group, or of all groups, hold the whole measured time.
  const first = { links: (tables.links?.bottleneck as Uint8Array).indexOf(1), groups: 0 };
  return wanted.map(({ measure, group }) => {
    const { table, column, factor } = MEASURES[measure];
    const row = group === null ? first[table] : rowOf(tables.groups?.group as Names, group);
    return ((tables[table]?.[column] as Float64Array | undefined)?.[row] ?? NaN) * factor;
  });
}

/** The first row with this name; that of all groups if an only group has no row of its own. */
function rowOf({ codes, names }: Names, name: string): number {
  return Math.max(0, codes.indexOf(names.indexOf(name)));
}
