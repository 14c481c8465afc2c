/** The pipe: for each variant senders, the queue, and the link, on one canvas. */
import type { Resolved } from "../core/scenario";
import { shownAt, type View } from "../run/run";
import { goals, packetsOf } from "../run/targets";
import type { Lane } from "./lane";
import { drawPackets } from "./packets";
import { arrow, circle, cross } from "./shapes";
import type { Palette } from "./theme.svelte";
import { FONT, SMALL, Words } from "./words";

export const LANE = 88;
/** As many packets are drawn one by one. */
const SINGLE = 120;
/** Time that history spans (s of simulated time). */
const HISTORY = 10;
/** Where packets are followed a place has this width at least (px), so that each packet is seen. */
const CLOSE = 6;
/** How long a drop or a mark is seen at full speed (s). */
const GLOW = 0.4;

/** Recent content of a lane: its words, and drops and marks for the speeds at which packets are not followed. */
export class Lately {
  readonly words = new Words();
  /** Where it was drawn last. */
  lane: Lane | undefined;
  private view: View | undefined;
  private now = NaN;
  private resolved: Resolved | undefined;
  private sums = { drops: 0, marks: 0 };
  private ages = { drops: Infinity, marks: Infinity };

  /** Returns true if the lane would look otherwise than when it was drawn last; `resolved` is what holds now. */
  changes(view: View, resolved: Resolved): boolean {
    const time = shownAt(view);
    const same = view === this.view && time === this.now && resolved === this.resolved;
    [this.now, this.resolved] = [time, resolved];
    return !same || view.packets !== undefined || this.ages.drops < GLOW || this.ages.marks < GLOW || this.words.stale(view);
  }

  /** How strongly to draw it, from 0 to 1. */
  glow(kind: "drops" | "marks", view: View, elapsed: number): number {
    const sum = view.ring.value(view.port + kind, view.ring.at(shownAt(view))) || 0;
    if (this.view !== view) {
      this.view = view;
      this.ages = { drops: Infinity, marks: Infinity };
    } else this.ages[kind] = sum > this.sums[kind] ? 0 : this.ages[kind] + elapsed;
    this.sums[kind] = sum;
    return Math.max(0, 1 - this.ages[kind] / GLOW);
  }
}

interface Place {
  top: number;
  width: number;
  letter: string;
  colour: string;
}

/** `resolved` is what holds now; `followed` is the number of a flow. */
export function drawLane(context: CanvasRenderingContext2D, view: View, resolved: Resolved, lately: Lately, place: Place, colours: Palette, elapsed: number, speed: number, still: boolean, followed?: number): void {
  const { top, width, letter, colour } = place;
  const { ring, port } = view;
  const limit = Math.max(1, resolved.port.limit_packets ?? (resolved.port.limit_bytes ?? 1) / resolved.port.mean_packet_bytes);
  const time = shownAt(view);
  const newest = ring.at(time);
  const queue = ring.value(port + "queue", newest) || 0;
  const narrow = width < 560;
  const left = narrow ? 12 : 92;
  const linkWidth = narrow ? 70 : Math.min(260, width * 0.26);
  const right = width - linkWidth - 12;
  const wide = right - left;
  const places = view.packets ? Math.min(limit, Math.floor(wide / CLOSE)) : limit;
  const barTop = top + 26;
  const barHeight = 24;
  const middle = barTop + barHeight / 2;
  const x = (packets: number): number => right - Math.min(1, packets / places) * wide;
  const lane: Lane = { left, right, end: width - 8, top: barTop, height: barHeight, middle, back: barTop + barHeight + 24, step: wide / places, x };
  lately.lane = lane;

  // Names and numbers above the bar.
  context.textBaseline = "alphabetic";
  const roomy = wide > 520;
  const { words } = lately;
  words.renew(context, view, resolved, limit, wide, roomy, elapsed);
  context.font = `600 ${FONT}`;
  context.fillStyle = colour;
  context.textAlign = "left";
  context.fillText(letter, left, top + 18);
  context.fillStyle = colours.ink;
  context.fillText(resolved.label, left + 16, top + 18);
  context.font = FONT;
  context.textAlign = "right";
  context.fillText(words.waiting, right, top + 18);

  // In words as well.
  context.textAlign = "left";
  context.font = SMALL;
  // Below the bar they leave room for the cross of a drop, or the way of the ACKs.
  const line = roomy ? top + 18 : barTop + barHeight + (view.packets ? 15 : 28);
  const start = roomy ? left + 40 + words.labelWidth : left;
  context.fillStyle = colours.soft;
  cross(context, start + 5, line - 4, 3.5, colours.drop);
  context.fillText(words.dropped, start + 14, line);
  const next = start + 28 + words.droppedWidth;
  circle(context, next + 5, line - 4, 4, colours.target);
  context.fillText(words.marked, next + 14, line);

  if (!narrow) {
    context.font = FONT;
    context.fillStyle = colours.soft;
    context.fillText("senders", 8, middle + 4);
    arrow(context, 62, left - 6, middle, colours.soft);
  }

  // The queue: the head is at the right, beside the link.
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, barTop + 0.5, wide - 1, barHeight - 1);
  if (places < limit) {
    // The other places are further left.
    context.fillStyle = colours.ground;
    for (const gap of [0, 6, 12]) context.fillRect(left + 8 + gap, barTop - 1, 3, barHeight + 2);
  }
  for (const goal of goals(resolved)) {
    const at = x(packetsOf(resolved, goal, time));
    context.strokeStyle = colours.target;
    context.lineWidth = 2;
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(at, barTop - 5);
    context.lineTo(at, barTop + barHeight + 5);
    context.stroke();
    context.setLineDash([]);
  }

  // The link.
  context.strokeStyle = colours.soft;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(right, barTop - 4);
  context.lineTo(right, barTop + barHeight + 4);
  context.stroke();
  arrow(context, right + 4, lane.end, middle, colours.line);
  context.fillStyle = colours.soft;
  context.font = FONT;
  context.textAlign = "center";
  // A narrow page has no room for it beside the words above the queue.
  context.fillText(words.rate, right + linkWidth / 2, narrow ? middle + 18 : barTop - 8);

  if (view.packets) {
    if (!narrow) {
      context.textAlign = "left";
      context.fillText("ACKs", 8, lane.back + 4);
    }
    arrow(context, lane.end, narrow ? left : 62, lane.back, colours.line);
    drawPackets(context, view, view.packets, lane, colour, colours, speed, elapsed, still, followed);
    return;
  }

  // A bar, with the range of the last seconds behind it.
  const past = ring.whole(port + "queue");
  let [low, high] = [Infinity, -Infinity];
  for (let row = Math.max(0, ring.at(time - HISTORY)); row <= newest; row++) {
    low = Math.min(low, past[row]!);
    high = Math.max(high, past[row]!);
  }
  if (high > low) {
    context.globalAlpha = 0.18;
    context.fillStyle = colour;
    context.fillRect(x(high), barTop + 1, x(low) - x(high), barHeight - 2);
    context.globalAlpha = 1;
  }
  context.fillStyle = colour;
  if (places <= SINGLE && lane.step >= 3) {
    for (let index = 0; index < Math.min(places, Math.round(queue)); index++) context.fillRect(right - (index + 1) * lane.step + 1, barTop + 4, lane.step - 1.5, barHeight - 8);
  } else context.fillRect(x(queue), barTop + 4, right - x(queue), barHeight - 8);
  context.globalAlpha = lately.glow("drops", view, elapsed);
  cross(context, Math.max(left + 6, x(Math.max(queue, 1))), barTop + barHeight + 10, 4, colours.drop);
  context.globalAlpha = lately.glow("marks", view, elapsed);
  circle(context, right + 12, middle, 6, colours.target);
  context.globalAlpha = 1;
}
