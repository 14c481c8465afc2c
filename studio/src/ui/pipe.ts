/** The pipe: for each variant senders, the queue, and the link, on one canvas. */
import { digits, rateText } from "../core/units";
import type { Resolved } from "../core/scenario";
import type { View } from "../run/run";
import { targetDelay } from "../run/targets";
import { drawPackets } from "./packets";
import { arrow, circle, cross } from "./shapes";
import type { Palette } from "./theme.svelte";

export const LANE = 88;
/** As many packets are drawn one by one. */
const SINGLE = 120;
/** Time that history spans (s of simulated time). */
const HISTORY = 10;
/** Where packets are followed a place has this width at least (px), so that each packet is seen. */
const CLOSE = 6;
/** How long a drop or a mark is seen at full speed (s). */
const GLOW = 0.4;

/** Where things are (px). */
export interface Lane {
  /** The queue from its tail to its head, and the receivers. */
  left: number;
  right: number;
  end: number;
  top: number;
  height: number;
  middle: number;
  /** The way of the ACKs. */
  back: number;
  /** The width of a place in the queue. */
  step: number;
  /** Of a place in the queue, counted from its head. */
  x: (packets: number) => number;
}

/** What has happened lately, for the speeds at which packets are not followed. */
export class Glow {
  private view: View | undefined;
  private sums = { drops: 0, marks: 0 };
  private ages = { drops: Infinity, marks: Infinity };

  /** How strongly to draw it, from 0 to 1. */
  of(kind: "drops" | "marks", view: View, elapsed: number): number {
    const sum = view.ring.last(view.port + kind) || 0;
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

/** `resolved` is what holds now. */
export function drawLane(context: CanvasRenderingContext2D, view: View, resolved: Resolved, glow: Glow, place: Place, colours: Palette, elapsed: number, speed: number, still: boolean): void {
  const { top, width, letter, colour } = place;
  const { ring, port } = view;
  const limit = Math.max(1, resolved.port.limit_packets ?? (resolved.port.limit_bytes ?? 1) / resolved.port.mean_packet_bytes);
  const queue = ring.last(port + "queue") || 0;
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

  // Names and numbers above the bar.
  context.textBaseline = "alphabetic";
  context.font = "600 13px system-ui, Helvetica, Arial, sans-serif";
  context.fillStyle = colour;
  context.textAlign = "left";
  context.fillText(letter, left, top + 18);
  context.fillStyle = colours.ink;
  context.fillText(resolved.label, left + 16, top + 18);
  const labelWidth = context.measureText(resolved.label).width;
  context.font = "13px system-ui, Helvetica, Arial, sans-serif";
  context.textAlign = "right";
  const waits = (queue * resolved.port.mean_packet_bytes * 8e3) / resolved.port.rate_bps;
  const roomy = wide > 520;
  context.fillText(`${Math.round(queue)}${roomy ? ` of ${Math.round(limit)}` : ""} packets · ${digits(waits)} ms`, right, top + 18);

  // In words as well.
  const drops = ring.last(port + "drops") || 0;
  const marks = ring.last(port + "marks") || 0;
  context.textAlign = "left";
  context.font = "12px system-ui, Helvetica, Arial, sans-serif";
  const line = roomy ? top + 18 : barTop + barHeight + 15;
  const start = roomy ? left + 40 + labelWidth : left;
  context.fillStyle = colours.soft;
  cross(context, start + 5, line - 4, 3.5, colours.drop);
  context.fillText(`${drops} dropped`, start + 14, line);
  const next = start + 28 + context.measureText(`${drops} dropped`).width;
  circle(context, next + 5, line - 4, 4, colours.target);
  context.fillText(`${marks} marked`, next + 14, line);

  if (!narrow) {
    context.font = "13px system-ui, Helvetica, Arial, sans-serif";
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
  const target = targetDelay(resolved);
  if (target !== undefined) {
    const at = x((target * resolved.port.rate_bps) / (8 * resolved.port.mean_packet_bytes));
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
  context.font = "13px system-ui, Helvetica, Arial, sans-serif";
  context.textAlign = "center";
  context.fillText(rateText(resolved.port.rate_bps), right + linkWidth / 2, barTop - 8);

  if (view.packets) {
    if (!narrow) {
      context.textAlign = "left";
      context.fillText("ACKs", 8, lane.back + 4);
    }
    arrow(context, lane.end, narrow ? left : 62, lane.back, colours.line);
    drawPackets(context, view, view.packets, lane, colour, colours, speed, elapsed, still);
    return;
  }

  // A bar, with the range of the last seconds behind it.
  const past = ring.column(port + "queue").subarray(Math.max(0, ring.at(view.now - HISTORY)));
  if (past.length > 1) {
    const [low, high] = [Math.min(...past), Math.max(...past)];
    context.globalAlpha = 0.18;
    context.fillStyle = colour;
    context.fillRect(x(high), barTop + 1, x(low) - x(high), barHeight - 2);
    context.globalAlpha = 1;
  }
  context.fillStyle = colour;
  if (places <= SINGLE && lane.step >= 3) {
    for (let index = 0; index < Math.min(places, Math.round(queue)); index++) context.fillRect(right - (index + 1) * lane.step + 1, barTop + 4, lane.step - 1.5, barHeight - 8);
  } else context.fillRect(x(queue), barTop + 4, right - x(queue), barHeight - 8);
  context.globalAlpha = glow.of("drops", view, elapsed);
  cross(context, Math.max(left + 6, x(Math.max(queue, 1))), barTop + barHeight + 10, 4, colours.drop);
  context.globalAlpha = glow.of("marks", view, elapsed);
  circle(context, right + 12, middle, 6, colours.target);
  context.globalAlpha = 1;
}
