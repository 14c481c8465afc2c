/** The plots over time: what each one shows, and their data. */
import type { View } from "../run/run";
import { grid, ratio, rowsAt, values, type Line } from "../run/series";

export type Kind = "delay" | "inner" | "goodput" | "windows";

export interface Trace {
  label: string;
  /** The variant's number. */
  variant: number;
  dash: number[];
}

export interface Picture {
  traces: Trace[];
  times: number[];
  lines: Line[];
}

const DASHES = [[], [6, 3], [2, 3], [9, 3, 2, 3], [1, 3]];
const COUNTS = ["departures", "bytes", "drops", "marks", "waited", "queue"];
/** Bins of a plot; a pixel or two for each. */
const BINS = 400;

/** The part of time that is shown (s). */
export function windowOf(now: number, duration: number, span: number): [number, number] {
  if (span >= duration) return [0, duration];
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
  return [...names].filter((name) => !COUNTS.includes(name));
}

export function picture(kind: Kind, inner: string, views: readonly View[], window: [number, number], finest: number): Picture {
  const rate = kind === "inner" && inner === "signals";
  // Counts need wider bins to be a rate.
  const edges = grid(window[0], window[1], rate || kind === "goodput" ? BINS / 4 : BINS, finest);
  const traces: Trace[] = [];
  const lines: Line[] = [];
  views.forEach((view, variant) => {
    const rows = rowsAt(view, edges);
    const add = (label: string, line: Line, order = 0): void => {
      traces.push({ label, variant, dash: DASHES[order % DASHES.length]! });
      lines.push(line);
    };
    const { port } = view;
    const label = view.resolved.label;
    if (kind === "delay") add(label, ratio(view, rows, [port + "waited"], [port + "departures"], 1000));
    else if (rate) add(label, ratio(view, rows, [port + "drops", port + "marks"], [port + "departures", port + "drops"], 100));
    else if (kind === "inner") add(label, values(view, rows, port + inner));
    else {
      view.resolved.network.groups.forEach((group, order) => {
        const line =
          kind === "windows"
            ? values(view, rows, `flows.${group.name}.cwnd`)
            : ratio(view, rows, [`flows.${group.name}.bytes`], ["time"], 8e-6);
        if (kind === "goodput" || line.some((one) => one !== null)) add(`${label}: ${group.name}`, line, order);
      });
    }
  });
  return { traces, times: [...edges], lines };
}
