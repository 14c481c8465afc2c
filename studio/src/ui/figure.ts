/** The plots of the page as one figure. */
import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import { LETTERS } from "../run/session.svelte";
import { BAND } from "./curves";
import type { Picture } from "./plots";
import { spanText } from "./spans";
import type { Palette } from "./theme.svelte";

export interface Panel {
  title: string;
  picture: Picture;
  /** Levels between which variants should be at a time, in the unit of the panel. */
  targets?: { name: string; of: (time: number) => number }[];
}

/** Something that was changed in mid-run, in words. */
export interface Moved {
  at: number;
  text: string;
}

const WIDTH = 720;
const HEIGHT = 150;
const MARGIN = { left: 56, right: 22, top: 26, bottom: 22 };

/** The panels as SVG, one above the other on one time axis; `moves` are lines across them, and are named below. So is the `span` of the numbers. */
export function svg(title: string, panels: readonly Panel[], labels: readonly string[], window: [number, number], colours: Palette, moves: readonly Moved[] = [], span?: readonly [number, number]): string {
  const [from, to] = window;
  const seen = moves.filter(({ at }) => at >= from && at <= to);
  const height = 56 + panels.length * HEIGHT + 22 + 16 * (seen.length + (span ? 1 : 0));
  const parts: string[] = [];
  const text = (x: number, y: number, content: string, more = ""): void => {
    parts.push(`<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`);
  };
  text(MARGIN.left, 20, title, 'font-size="14" font-weight="600"');
  labels.forEach((label, index) => {
    const x = MARGIN.left + index * 200;
    parts.push(`<path d="M${x} 38h22" stroke="${colours.variants[index] ?? colours.ink}" stroke-width="2"/>`);
    text(x + 28, 42, `${LETTERS[index] ?? ""}: ${label}`);
  });
  const x = scaleLinear([from, to], [MARGIN.left, WIDTH - MARGIN.right]);
  panels.forEach((panel, place) => {
    const top = 56 + place * HEIGHT + MARGIN.top;
    const bottom = 56 + (place + 1) * HEIGHT - MARGIN.bottom + 14;
    const highest = Math.max(1e-9, ...panel.picture.lines.flatMap((values, index) => [...(panel.picture.bands[index]?.high ?? values)].filter(Number.isFinite)));
    const y = scaleLinear([0, highest], [bottom, top]).nice(4);
    const most = y.domain()[1]!;
    text(MARGIN.left, top - 8, panel.title, 'font-weight="600"');
    // Names of the groups, from the right, where there are several.
    const groups = new Map(panel.picture.traces.flatMap(({ group, dash }) => (group ? [[group, dash]] : [])));
    let end = WIDTH - MARGIN.right;
    for (const [name, dash] of groups.size > 1 ? [...groups].reverse() : []) {
      text(end, top - 8, name, 'text-anchor="end"');
      end -= 7 * name.length + 8;
      parts.push(`<path d="M${end - 26} ${top - 12}h26" stroke="${colours.soft}" stroke-width="1.5" stroke-dasharray="${dash.join(" ")}"/>`);
      end -= 44;
    }
    for (const value of y.ticks(4)) {
      parts.push(`<path d="M${x(from)} ${round(y(value))}H${x(to)}" stroke="${colours.line}"/>`);
      text(MARGIN.left - 6, round(y(value) + 4), y.tickFormat(4)(value), 'text-anchor="end"');
    }
    if (span) {
      const [start, end] = span.map((at) => round(x(Math.min(to, Math.max(from, at))))) as [number, number];
      parts.push(`<rect x="${start}" y="${top}" width="${end - start}" height="${bottom - top}" fill="${colours.accent}" fill-opacity=".14"/>`);
    }
    const { times, lines, bands } = panel.picture;
    const within = [...times.keys()].filter((at) => times[at]! >= from && times[at]! <= to);
    const across = (at: number): number => x(times[at]!);
    panel.picture.traces.forEach((trace, index) => {
      const [values, band] = [lines[index]!, bands[index]];
      const colour = colours.variants[trace.variant] ?? colours.ink;
      if (band) {
        const shade = area<number>().defined((at) => !Number.isNaN(band.high[at])).x(across).y0((at) => y(band.low[at]!)).y1((at) => y(band.high[at]!)).digits(1)(within);
        if (shade !== null) parts.push(`<path d="${shade}" fill="${colour}" fill-opacity="${BAND}"/>`);
      }
      const path = line<number>().defined((at) => !Number.isNaN(values[at])).x(across).y((at) => y(values[at]!)).digits(1)(within);
      const dash = trace.dash.length > 0 ? ` stroke-dasharray="${trace.dash.join(" ")}"` : "";
      parts.push(`<path d="${path ?? ""}" fill="none" stroke="${colour}" stroke-width="1.2"${dash}><title>${escaped(trace.label)}</title></path>`);
    });
    for (const { at } of seen) parts.push(`<path d="M${round(x(at))} ${top}V${bottom}" stroke="${colours.soft}" stroke-dasharray="2 2"/>`);
    const paths = (panel.targets ?? []).map(({ name, of }) => {
      const level = line<number>().defined((at) => of(times[at]!) <= most).x(across).y((at) => y(of(times[at]!))).digits(1)(within);
      return [level, name] as const;
    });
    const drawn = new Map(paths.filter(([path]) => path !== null));
    for (const [path, name] of drawn) parts.push(`<path d="${path}" fill="none" stroke="${colours.target}" stroke-width="1.2" stroke-dasharray="4 3"><title>${escaped(name)}</title></path>`);
    if (drawn.size > 0) text(WIDTH - MARGIN.right, top - 8, escaped(`dashed: ${[...new Set(drawn.values())].join("; ")}`), `text-anchor="end" fill="${colours.target}"`);
    if (place === panels.length - 1) {
      seen.forEach(({ at, text: what }, index) => text(MARGIN.left, bottom + 34 + 16 * index, `${Number(at.toPrecision(6))} s: ${what}`));
      if (span) text(MARGIN.left, bottom + 34 + 16 * seen.length, `Numbers: ${spanText(...span).toLowerCase()}`);
      for (const time of x.ticks(8)) text(round(x(time)), bottom + 16, `${x.tickFormat(8)(time)} s`, 'text-anchor="middle"');
    }
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="Helvetica, Arial, sans-serif" font-size="11" fill="${colours.ink}"><rect width="100%" height="100%" fill="${colours.ground}"/>${parts.join("")}</svg>\n`;
}

/** Draws the figure in pixels, twice as fine as the screen's. */
export async function png(drawing: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([drawing], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.width;
    canvas.height = 2 * image.height;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be drawn")))));
  } finally {
    URL.revokeObjectURL(address);
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
