/**
 * The lines of a plot, drawn from typed arrays with NaN where there is no value. uPlot by itself makes a path for each line
 * and frame. It takes lists of numbers and nulls, in which each number is an object that is thrown away.
 */
import type uPlot from "uplot";
import type { Band } from "./plots";

/** How much of its colour a band has. */
export const BAND = 0.16;

export interface Stroke {
  colour: string;
  /** In px. */
  width: number;
  dash: number[];
}

/** For uPlot's list of series: a line that it scales and reads, and leaves to be drawn. */
export function undrawn(colour: string): uPlot.Series {
  return { stroke: colour, paths: () => null, points: { show: false } };
}

/** Draws a line for each stroke; from one value to the next one, across places without. A band is drawn behind its line. */
export function draw(plot: uPlot, times: Float64Array, lines: readonly Float64Array[], strokes: readonly Stroke[], bands: readonly (Band | undefined)[] = []): void {
  const { ctx, bbox, scales: { x, y } } = plot; // prettier-ignore
  if (x?.min === undefined || x.max === undefined || y?.min === undefined || y.max === undefined) return;
  const log = Number(x.distr) === 3;
  const from = log ? Math.log10(x.min) : x.min;
  const across = bbox.width / ((log ? Math.log10(x.max) : x.max) - from);
  const { min } = y;
  const up = bbox.height / (y.max - min);
  const bottom = bbox.top + bbox.height;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineJoin = "round";
  for (let place = 0; place < strokes.length; place++) {
    const { colour, width, dash } = strokes[place]!;
    const line = lines[place]!;
    ctx.strokeStyle = colour;
    ctx.lineWidth = width * devicePixelRatio;
    const band = bands[place];
    if (band) {
      ctx.globalAlpha = BAND;
      ctx.fillStyle = colour;
      ctx.beginPath();
      for (let index = 0; index < line.length; index++) if (!Number.isNaN(band.high[index])) ctx.lineTo(bbox.left + (times[index]! - from) * across, bottom - (band.high[index]! - min) * up);
      for (let index = line.length - 1; index >= 0; index--) if (!Number.isNaN(band.low[index])) ctx.lineTo(bbox.left + (times[index]! - from) * across, bottom - (band.low[index]! - min) * up);
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    ctx.setLineDash(devicePixelRatio === 1 ? dash : dash.map((length) => length * devicePixelRatio));
    ctx.beginPath();
    for (let index = 0; index < line.length; index++) {
      const value = line[index]!;
      const time = times[index]!;
      if (!Number.isNaN(value)) ctx.lineTo(bbox.left + ((log ? Math.log10(time) : time) - from) * across, bottom - (value - min) * up);
    }
    ctx.stroke();
  }
  ctx.restore();
}
