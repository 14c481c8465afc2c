/** The plots of the page as one figure. */
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
const MARGIN = { left: 56, right: 12, top: 26, bottom: 22 };

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
  panels.forEach((panel, place) => {
    const top = 56 + place * HEIGHT + MARGIN.top;
    const bottom = 56 + (place + 1) * HEIGHT - MARGIN.bottom + 14;
    const highest = Math.max(1e-9, ...panel.picture.lines.flatMap((line, index) => [...(panel.picture.bands[index]?.high ?? line)].filter(Number.isFinite)));
    const step = niceStep(highest / 4);
    const most = Math.ceil(highest / step) * step;
    const x = (time: number): number => MARGIN.left + ((time - from) / (to - from)) * (WIDTH - MARGIN.left - MARGIN.right);
    const y = (value: number): number => bottom - (value / most) * (bottom - top);
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
    for (let value = 0; value <= most * 1.001; value += step) {
      parts.push(`<path d="M${x(from)} ${round(y(value))}H${x(to)}" stroke="${colours.line}"/>`);
      text(MARGIN.left - 6, round(y(value) + 4), String(Number(value.toPrecision(4))), 'text-anchor="end"');
    }
    if (span) {
      const [start, end] = span.map((at) => round(x(Math.min(to, Math.max(from, at))))) as [number, number];
      parts.push(`<rect x="${start}" y="${top}" width="${end - start}" height="${bottom - top}" fill="${colours.accent}" fill-opacity=".14"/>`);
    }
    panel.picture.traces.forEach((trace, index) => {
      const band = panel.picture.bands[index];
      const shade = (values: Float64Array): string[] => [...panel.picture.times].flatMap((time, at) => (time < from || time > to || Number.isNaN(values[at]) ? [] : [`${round(x(time))} ${round(y(values[at]!))}`]));
      const around = band ? [...shade(band.high), ...shade(band.low).reverse()] : [];
      if (around.length > 0) parts.push(`<path d="M${around.join("L")}Z" fill="${colours.variants[trace.variant] ?? colours.ink}" fill-opacity="${BAND}"/>`);
      let path = "";
      let pen = "M";
      panel.picture.times.forEach((time, at) => {
        const value = panel.picture.lines[index]?.[at];
        if (value === undefined || Number.isNaN(value) || time < from || time > to) pen = "M";
        else {
          path += `${pen}${round(x(time))} ${round(y(value))}`;
          pen = "L";
        }
      });
      const dash = trace.dash.length > 0 ? ` stroke-dasharray="${trace.dash.join(" ")}"` : "";
      parts.push(`<path d="${path}" fill="none" stroke="${colours.variants[trace.variant] ?? colours.ink}" stroke-width="1.2"${dash}><title>${escaped(trace.label)}</title></path>`);
    });
    for (const { at } of seen) parts.push(`<path d="M${round(x(at))} ${top}V${bottom}" stroke="${colours.soft}" stroke-dasharray="2 2"/>`);
    const paths = (panel.targets ?? []).map(({ name, of }) => {
      const points = [...panel.picture.times].filter((time) => time >= from && time <= to).map((time) => [time, of(time)] as const);
      const path = points.flatMap(([time, value], index) => (value > most ? [] : [`${index === 0 ? "M" : "L"}${round(x(time))} ${round(y(value))}`])).join("");
      return [path, name] as const;
    });
    const drawn = new Map(paths.filter(([path]) => path.startsWith("M")));
    for (const [path, name] of drawn) parts.push(`<path d="${path}" fill="none" stroke="${colours.target}" stroke-width="1.2" stroke-dasharray="4 3"><title>${escaped(name)}</title></path>`);
    if (drawn.size > 0) text(WIDTH - MARGIN.right, top - 8, escaped(`dashed: ${[...new Set(drawn.values())].join("; ")}`), `text-anchor="end" fill="${colours.target}"`);
    if (place === panels.length - 1) {
      seen.forEach(({ at, text: what }, index) => text(MARGIN.left, bottom + 34 + 16 * index, `${Number(at.toPrecision(6))} s: ${what}`));
      if (span) text(MARGIN.left, bottom + 34 + 16 * seen.length, `Numbers: ${spanText(...span).toLowerCase()}`);
      const stride = niceStep((to - from) / 8);
      for (let time = Math.ceil(from / stride) * stride; time <= to * 1.0001; time += stride) text(round(x(time)), bottom + 16, `${Number(time.toPrecision(6))} s`, 'text-anchor="middle"');
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

function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= least * 0.999) ?? 10);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
