/** The plots over time: what each one shows, and their data. */
import type { View } from "../run/run";
import type { Fluid } from "../run/theory.svelte";
import { packetRate } from "../core/rates";
import { partsOf } from "../run/mechanism";
import { fill, fillBand, grid, rowsAt, type Source } from "../run/series";

export type Kind = "delay" | "inner" | "goodput" | "windows";

export interface Trace {
  label: string;
  /** The variant's number. */
  variant: number;
  /** Name of the group of flows, empty if there is one line for each variant. */
  group: string;
  dash: number[];
}

const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3], [1, 3]];
/** Dashes of a model's line. */
const DOTS = [1, 2];
const COUNTS = ["departures", "bytes", "drops", "marks", "waited", "came", "at_hand", "peak", "queue"];
/** Bins of a plot; a pixel or two for each. */
const BINS = 400;
/** A rate is counted over as many packets of the link at least: one more or less is a hundredth of it. */
const COUNTED = 100;

/** The part of time that is shown (s), of an axis that ends at `whole`. */
export function windowOf(now: number, whole: number, span: number): [number, number] {
  if (span >= whole) return [0, whole];
  const to = Math.max(span, now);
  return [to - span, to];
}

/** Inner variables of the queue disciplines, by the variants that have them. */
export function innerVariables(views: readonly View[]): string[] {
  const names = new Set<string>();
  for (const view of views) {
    for (const column of view.ring.columns) {
      if (column.startsWith(view.port)) names.add(column.slice(view.port.length));
    }
  }
  // Those of a class or a group have more than one part.
  return [...names].filter((name) => !COUNTS.includes(name) && !name.includes("."));
}

/** The least and the greatest value at each of the times. */
export interface Band {
  low: Float64Array;
  high: Float64Array;
}

interface Drawn extends Source {
  /** The run or model of the rows. */
  of: View | Fluid;
  trace: Trace;
  line: Float64Array;
  band: Band | undefined;
  /** The line is left out as long as nothing is known. */
  optional: boolean;
}

/** Content of a plot. The next look fills the same arrays. */
export class Picture {
  traces: Trace[] = [];
  times: Float64Array = new Float64Array();
  /** A value for each of the times, NaN where there is none. */
  lines: Float64Array[] = [];
  /** The room that a line passes between its times, if it is a level. */
  bands: (Band | undefined)[] = [];
  private sources: Drawn[] = [];
  private views: readonly View[] = [];
  private fluids: readonly (Fluid | undefined)[] = [];
  private what = "";
  private rows = new Int32Array();
  private earlier = new Int32Array();

  /** Looks at the runs, and the models beside them. Returns true if the picture has changed since the last look. */
  look(kind: Kind, inner: string, views: readonly View[], window: [number, number], finest: number, fluids: readonly (Fluid | undefined)[] = []): boolean {
    const rate = kind === "inner" && inner === "signals";
    const from = this.times[0];
    // Counts need wider bins to be a rate.
    const times = grid(window[0], window[1], rate || kind === "goodput" ? BINS / 4 : BINS, finest, this.times);
    const what = `${kind} ${inner}`;
    const other = times !== this.times || what !== this.what || views.length !== this.views.length || views.some((view, place) => view !== this.views[place] || fluids[place] !== this.fluids[place]);
    if (other) {
      this.what = what;
      this.views = [...views];
      this.fluids = [...fluids];
      this.times = times;
      this.rows = new Int32Array(times.length);
      this.earlier = new Int32Array(times.length);
      this.sources = views.flatMap((view, variant) => [
        ...sourcesOf(kind, inner, view, variant, times.length),
        ...fluidsOf(kind, inner, view, fluids[variant], variant, times.length),
      ]);
    }
    let changed = other || times[0] !== from;
    let of: View | Fluid | undefined;
    for (const source of this.sources) {
      if (source.of !== of) rowsAt((of = source.of), times, this.rows);
      // In slow motion a bin has few packets, or parts of one.
      const isWide = source.span !== undefined && source.span > times[1]! - times[0]!;
      if (isWide) rowsAt(source.of, times, this.earlier, source.span);
      if (source.band) fillBand(source, this.rows, source.band.low, source.band.high);
      changed = fill(source, this.rows, source.line, isWide ? this.earlier : undefined) || changed;
    }
    if (!changed) return false;
    const drawn = this.sources.filter(({ optional, line }) => !optional || isKnown(line));
    if (drawn.length !== this.lines.length || drawn.some(({ line }, place) => line !== this.lines[place])) {
      this.traces = drawn.map(({ trace }) => trace);
      this.lines = drawn.map(({ line }) => line);
      this.bands = drawn.map(({ band }) => band);
    }
    return true;
  }
}

function isKnown(line: Float64Array): boolean {
  for (let index = 0; index < line.length; index++) if (!Number.isNaN(line[index])) return true;
  return false;
}

function sourcesOf(kind: Kind, inner: string, view: View, variant: number, length: number): Drawn[] {
  const { port, resolved, ring } = view;
  const columns = (names: string[]): Float64Array[] => names.map((name) => ring.whole(name));
  const source = (above: string[], below: string[] | undefined, factor: number, group = "", order = 0): Drawn => ({
    of: view,
    trace: { label: group ? `${resolved.label}: ${group}` : resolved.label, variant, group, dash: DASHES[order % DASHES.length]! },
    above: columns(above),
    below: below && columns(below),
    factor,
    span: kind === "goodput" ? COUNTED / packetRate(resolved, view.now) : undefined,
    envelope: below ? undefined : ring.envelope(above[0]!),
    line: new Float64Array(length).fill(NaN),
    band: below ? undefined : { low: new Float64Array(length), high: new Float64Array(length) },
    optional: kind === "windows",
  });
  const { classes, groups } = partsOf(view);
  const [prefix, parts] = inner === "class" ? ["class.", classes] : ["group.", inner === "group" ? groups : []];
  if (kind === "delay" && parts.length > 0) return parts.map((name, order) => source([`${port}${prefix}${name}.waited`], [`${port}${prefix}${name}.departures`], 1000, name, order));
  if (kind === "delay") return [source([port + "waited"], [port + "departures"], 1000)];
  if (kind === "goodput" && inner === "class" && parts.length > 0) return parts.map((name, order) => source([`${port}class.${name}.bytes`], ["time"], 8e-6, name, order));
  if (kind === "inner" && inner === "signals") return [source([port + "drops", port + "marks"], [port + "departures", port + "drops"], 100)];
  if (kind === "inner") return [source([port + inner], undefined, 1)];
  return resolved.network.groups.map(({ name }, order) =>
    kind === "windows" ? source([`flows.${name}.cwnd`], undefined, 1, name, order) : source([`flows.${name}.bytes`], ["time"], 8e-6, name, order),
  );
}

/** Lines of the fluid model; none where it has no such variable. */
function fluidsOf(kind: Kind, inner: string, { port, resolved }: View, fluid: Fluid | undefined, variant: number, length: number): Drawn[] {
  if (!fluid) return [];
  const columns: [group: string, column: string, factor: number][] =
    kind === "delay" ? [["theory", port + "delay", 1000]]
    : kind === "inner" ? [["theory", port + inner, inner === "signals" ? 100 : 1]]
    : kind === "windows" ? resolved.network.groups.map(({ name }) => [`${name}, theory`, `flows.${name}.cwnd`, 1])
    : []; // prettier-ignore
  return columns.flatMap(([group, column, factor]) =>
    fluid.ring.has(column)
      ? [{ of: fluid, trace: { label: `${resolved.label}: ${group}`, variant, group, dash: DOTS }, above: [fluid.ring.whole(column)], below: undefined, factor, line: new Float64Array(length).fill(NaN), band: undefined, optional: true }]
      : [],
  );
}
