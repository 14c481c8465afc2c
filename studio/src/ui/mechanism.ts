/** Pictures of how a queue decides, on a canvas. */
import { delayAt, intervalOf, lanesOf, mechanismOf, probabilitiesOf, targetOf, variable, type Kind } from "../run/mechanism";
import { shownAt, type View } from "../run/run";
import type { Resolved } from "../core/scenario";
import { circle, cross, dot, patterned } from "./shapes";
import type { Palette } from "./theme.svelte";

/** Content of each picture, in words. */
export const CAPTIONS: Record<Kind, string> = {
  lanes: "A row for each queue, its head at the right. A triangle: it is served before the others.",
  curve: "The curve: the probability of a signal. The dot: where the queue is now.",
  next: "Delay and target (dashed), drops and marks. Ahead of now: when the next signal may come.",
  probability: "Above, the delay and its target (dashed). Below, the probability that follows from their distance.",
};

/** Data of a picture, and its place (px). */
export interface Drawing {
  context: CanvasRenderingContext2D;
  view: View;
  /** The variant as it is now. */
  resolved: Resolved;
  colour: string;
  colours: Palette;
  /** Time that the past takes (s). */
  past: number;
  left: number;
  top: number;
  width: number;
  height: number;
}

const FONT = "11px system-ui, Helvetica, Arial, sans-serif";
/** Room for the numbers of an axis (px). */
const AXIS = 46;
const LANE = 18;
/** The past of a curve's dot is short (s): else its axis would still be that of the start. */
const TRAIL = 2;
const DASHES = [[], [6, 3], [2, 3]];

/** Draws the pictures of a queue, one above the other. */
export function drawMechanism(kinds: readonly Kind[], drawing: Drawing): void {
  let { top, height } = drawing;
  kinds.forEach((kind, place) => {
    const own = kind === "lanes" && place < kinds.length - 1 ? Math.min(height / 2, lanesOf(drawing.view).length * LANE + 4) : height;
    const part = { ...drawing, top, height: own };
    if (kind === "lanes") drawLanes(part);
    else if (kind === "curve") drawCurve(part);
    else if (kind === "next") drawNext(part);
    else drawProbability(part);
    top += own;
    height -= own;
  });
}

function label({ context, colours }: Drawing, text: string, x: number, y: number, align: CanvasTextAlign = "left", colour = colours.soft): void {
  context.font = FONT;
  context.textAlign = align;
  context.textBaseline = "alphabetic";
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

function line({ context }: Drawing, colour: string, dash: number[], ...points: readonly (readonly [number, number])[]): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.setLineDash(dash);
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.stroke();
  context.setLineDash([]);
}

/** A number of an axis. */
function written(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** The least of 1, 2 and 5 times a power of ten that is not less. */
function round(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5, 10].find((factor) => factor * power >= value * 0.999) ?? 10);
}

function drawLanes(drawing: Drawing): void {
  const { context, view, colours, colour, left, top, width, height } = drawing;
  const lanes = lanesOf(view);
  const step = Math.min(LANE, height / Math.max(1, lanes.length));
  const from = left + 66;
  const to = left + width - 34;
  const most = round(Math.max(10, ...lanes.map(({ packets }) => packets)));
  lanes.forEach((lane, place) => {
    const y = top + place * step;
    label(drawing, lane.name, left, y + step / 2 + 4);
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.strokeRect(from + 0.5, y + 2.5, to - from - 1, step - 5);
    let head = to - 1;
    for (const { packets, group, isNew } of lane.parts) {
      const wide = (packets / most) * (to - from - 2);
      // A gap shows where another flow begins.
      patterned(context, head - wide, y + 4, Math.max(0.5, wide - (lane.parts.length > 1 ? 1.5 : 0)), step - 8, group ?? 0, colour);
      head -= wide;
      if (isNew) label(drawing, "▸", from - 2, y + step / 2 + 4, "right", colours.target);
    }
    label(drawing, String(lane.packets), to + 4, y + step / 2 + 4);
  });
}

function drawCurve(drawing: Drawing): void {
  const { context, view, colours, colour, left, top, width } = drawing;
  const past = Math.min(drawing.past, TRAIL);
  const found = mechanismOf(view) ?? view.mechanism;
  if (!found?.variable) return;
  const { curve } = found;
  const [value = NaN, probability = NaN] = mechanismOf(view)?.dot ?? [];
  const end = curve[0]!;
  const points = curve.length - 2;
  const { ring, port } = view;
  const [values, probabilities, times] = [ring.whole(port + found.variable), ring.whole(port + "probability"), ring.whole("time")];
  const last = ring.at(shownAt(view));
  const first = Math.max(0, ring.at(shownAt(view) - past));
  // As high as it was lately: a line to 0.1 would be flat below 1.
  let most = Number.isNaN(probability) ? 0.01 : probability;
  for (let row = first; row <= last; row++) if (probabilities[row]! > most) most = probabilities[row]!;
  most = Math.min(1, round(Math.max(0.01, 1.3 * most)));
  const [from, to, bottom, high] = [left + AXIS, left + width - 8, top + drawing.height - 16, top + 6];
  const x = (at: number): number => from + (Math.min(at, end) / end) * (to - from);
  const y = (p: number): number => bottom - (p / most) * (bottom - high);
  line(drawing, colours.line, [], [from, high], [from, bottom], [to, bottom]);
  label(drawing, `${written(100 * most)}%`, from - 4, high + 6, "right");
  label(drawing, "0", from - 4, bottom, "right");
  label(drawing, written(end), to, bottom + 13, "right");
  label(drawing, found.variable, from, bottom + 13);
  context.save();
  context.beginPath();
  context.rect(from - 6, high - 6, to - from + 12, bottom - high + 12);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let place = 0; place <= points; place++) context.lineTo(from + (place / points) * (to - from), Math.max(high - 8, y(curve[place + 1]!)));
  context.stroke();
  // Where it was lately.
  if (values.length > 0 && probabilities.length > 0) {
    context.fillStyle = colour;
    const stride = Math.max(1, Math.floor((last - first) / 60));
    for (let row = last; row > first; row -= stride) {
      context.globalAlpha = 0.3 * (1 - (times[last]! - times[row]!) / past);
      context.fillRect(x(values[row]!) - 1.5, y(probabilities[row]!) - 1.5, 3, 3);
    }
    context.globalAlpha = 1;
  }
  if (!Number.isNaN(value)) {
    line(drawing, colours.soft, [2, 3], [x(value), bottom], [x(value), y(probability)], [from, y(probability)]);
    dot(context, x(value), y(probability), 5, colour);
    circle(context, x(value), y(probability), 5, colours.ground);
  }
  context.restore();
}

/** The delay up to now, its target, and their axis; returns the place of an instant. */
function delays(drawing: Drawing, future: number): { x: (time: number) => number; from: number; to: number; bottom: number; high: number } {
  const { context, view, resolved, colours, colour, left, top, width, height, past } = drawing;
  const { ring } = view;
  const now = shownAt(view);
  const [from, to, bottom, high] = [left + AXIS, left + width - 8, top + height - 6, top + 8];
  const target = targetOf(resolved, now);
  const [first, last] = [Math.max(0, ring.at(now - past)), ring.at(now)];
  let most = 2 * (target ?? 0.001);
  for (let row = first; row <= last; row++) most = Math.max(most, delayAt(view, row) || 0);
  most = round(most);
  const x = (time: number): number => from + ((time - now + past) / (past + future)) * (to - from);
  const y = (delay: number): number => bottom - (delay / most) * (bottom - high);
  line(drawing, colours.line, [], [from, high], [from, bottom], [to, bottom]);
  label(drawing, `${written(1e3 * most)} ms`, from - 4, high + 6, "right");
  if (target !== undefined) line(drawing, colours.target, [4, 3], [from, y(target)], [to, y(target)]);
  const times = ring.whole("time");
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let row = first + 1; row <= last; row++) {
    const delay = delayAt(view, row);
    if (!Number.isNaN(delay)) context.lineTo(x(times[row]!), y(delay));
  }
  context.stroke();
  return { x, from, to, bottom, high };
}

function drawNext(drawing: Drawing): void {
  const { context, view, resolved, colours, past } = drawing;
  const { ring, port } = view;
  const interval = intervalOf(resolved);
  const wide = { ...drawing, past: Math.min(10 * interval, Math.max(past, 3 * interval)) };
  const { x, from, to, bottom, high } = delays(wide, 1.5 * interval);
  const now = shownAt(view);
  const within = (time: number): boolean => time > 0 && x(time) >= from && x(time) <= to;
  const first = variable(view, "first_above_time");
  if (first > 0) {
    context.globalAlpha = 0.14;
    context.fillStyle = colours.target;
    const [begin, end] = [Math.max(from, x(first - interval)), Math.min(to, x(first))];
    context.fillRect(begin, high, Math.max(0, end - begin), bottom - high);
    context.globalAlpha = 1;
  }
  const [times, drops, marks] = [ring.whole("time"), ring.whole(port + "drops"), ring.whole(port + "marks")];
  let signalled = -Infinity;
  for (let row = Math.max(1, ring.at(now - wide.past)); row <= ring.at(now); row++) {
    const at = x(times[row]!);
    if (at < from) continue;
    // Signals that lie closer are one.
    const isNear = at - signalled < 5;
    const [drop, mark] = [drops[row]! > drops[row - 1]!, marks[row]! > marks[row - 1]!];
    if (isNear || !(drop || mark)) continue;
    signalled = at;
    if (drop) cross(context, at, high + 4, 2.5, colours.drop);
    if (mark) circle(context, at, high + 4, 3, colours.target);
  }
  line(drawing, colours.soft, [], [x(now), high], [x(now), bottom]);
  const next = variable(view, "drop_next");
  if (variable(view, "dropping") > 0 && within(next)) {
    line(drawing, colours.drop, [], [x(next), high], [x(next), bottom]);
    label(drawing, "next", Math.min(x(next) + 3, to - 22), bottom - 4, "left", colours.drop);
  } else if (first > now && within(first)) {
    line(drawing, colours.drop, [2, 2], [x(first), high], [x(first), bottom]);
    label(drawing, "first", Math.min(x(first) + 3, to - 22), bottom - 4, "left", colours.drop);
  }
}

function drawProbability(drawing: Drawing): void {
  const { context, view, colours, colour, left, top, width, height, past } = drawing;
  const { ring, port } = view;
  const names = probabilitiesOf(view);
  const now = shownAt(view);
  const upper = Math.round(height * 0.5);
  const { x, from, to } = delays({ ...drawing, height: upper }, 0);
  const [bottom, high] = [top + height - 18, top + upper + 4];
  const [first, last] = [Math.max(0, ring.at(now - past)), ring.at(now)];
  const columns = names.map((name) => ring.whole(port + name));
  let most = 0.01;
  for (const values of columns) for (let row = first; row <= last; row++) if (values[row]! > most) most = values[row]!;
  most = Math.min(1, round(most));
  line(drawing, colours.line, [], [from, high], [from, bottom], [to, bottom]);
  label(drawing, `${written(100 * most)}%`, from - 4, high + 8, "right");
  const times = ring.whole("time");
  columns.forEach((values, place) => {
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.setLineDash(DASHES[place % DASHES.length]!);
    context.beginPath();
    for (let row = first; row <= last; row++) if (times[row]! >= now - past && !Number.isNaN(values[row])) context.lineTo(x(times[row]!), bottom - (values[row]! / most) * (bottom - high));
    context.stroke();
    context.setLineDash([]);
    const at = left + AXIS + place * ((width - AXIS) / names.length);
    line(drawing, colour, DASHES[place % DASHES.length]!, [at, bottom + 9], [at + 16, bottom + 9]);
    label(drawing, names[place]!, at + 20, bottom + 13);
  });
}
