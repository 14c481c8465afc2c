/** The pipe: for each variant senders, the queue, and the link, on one canvas. */
import { digits, rateText } from "../core/units";
import type { View } from "../run/run";
import { targetDelay } from "../run/targets";
import type { Palette } from "./theme.svelte";

export const LANE = 72;
/** As many packets are drawn one by one. */
const SINGLE = 120;
/** Time that history spans (s of simulated time). */
const HISTORY = 10;

/** As many are drawn, at most. */
const PER_SECOND = { packet: 18, mark: 10, drop: 14, arrival: 14 };
/** At slow speed only so many places are drawn, so that each packet is seen. */
const CLOSE = 100;
const TRAVEL = 0.9;

interface Particle {
  kind: keyof typeof PER_SECOND;
  x: number;
  y: number;
  age: number;
}

interface Sums {
  time: number;
  departures: number;
  drops: number;
  marks: number;
  queue: number;
}

/** What one lane remembers from frame to frame. */
export class Lane {
  particles: Particle[] = [];
  private last: Sums | undefined;
  private view: View | undefined;
  private budget = { packet: 0, mark: 0, drop: 0, arrival: 0 };

  /** What has happened since the last frame. */
  news(view: View): Sums {
    const { ring, port } = view;
    const row = Math.max(0, ring.length - 1);
    const sums = {
      time: view.now,
      departures: ring.column(port + "departures")[row] ?? 0,
      drops: ring.column(port + "drops")[row] ?? 0,
      marks: ring.column(port + "marks")[row] ?? 0,
      queue: ring.column(port + "queue")[row] ?? 0,
    };
    const last = this.view === view && this.last ? this.last : sums;
    this.view = view;
    this.last = sums;
    return {
      time: sums.time - last.time,
      departures: sums.departures - last.departures,
      drops: sums.drops - last.drops,
      marks: sums.marks - last.marks,
      queue: sums.queue - last.queue,
    };
  }

  spawn(news: Sums, elapsed: number, tail: { x: number; y: number }, head: { x: number; y: number }, left: number): void {
    const add = (kind: Particle["kind"], count: number, most: number, at: { x: number; y: number }): void => {
      for (let index = 0; index < Math.min(count, most); index++) {
        const shift = (index / Math.max(1, Math.min(count, most))) * 14;
        this.particles.push({ kind, x: at.x + (kind === "drop" ? shift + 4 : 0), y: at.y, age: -0.016 * (index / most) });
      }
    };
    // When more happens than can be told apart, only a share of it is drawn.
    for (const kind of ["packet", "mark", "drop", "arrival"] as const) {
      const happened = { packet: news.departures - news.marks, mark: news.marks, drop: news.drops, arrival: news.departures + news.queue }[kind];
      this.budget[kind] = Math.min(2, this.budget[kind] + elapsed * PER_SECOND[kind]);
      const count = Math.min(happened, Math.floor(this.budget[kind]));
      this.budget[kind] -= count;
      add(kind, count, 2, kind === "drop" ? tail : kind === "arrival" ? { x: left, y: head.y } : head);
    }
    for (const particle of this.particles) particle.age += elapsed;
    this.particles = this.particles.filter((particle) => particle.age < TRAVEL).slice(-80);
  }
}

export function drawLane(
  context: CanvasRenderingContext2D,
  view: View,
  lane: Lane,
  place: { top: number; width: number; letter: string; colour: string },
  colours: Palette,
  elapsed: number,
  still: boolean,
  close: boolean,
): void {
  const { top, width, letter, colour } = place;
  const { ring, port, resolved } = view;
  const limit = Math.max(1, resolved.port.limit_packets ?? (resolved.port.limit_bytes ?? 1) / resolved.port.mean_packet_bytes);
  const queue = ring.last(port + "queue") || 0;
  const places = close ? Math.min(limit, CLOSE) : limit;
  const narrow = width < 560;
  const left = narrow ? 12 : 92;
  const linkWidth = narrow ? 70 : Math.min(220, width * 0.22);
  const right = width - linkWidth - 12;
  const wide = right - left;
  const barTop = top + 26;
  const barHeight = 24;
  const middle = barTop + barHeight / 2;
  const x = (packets: number): number => right - Math.min(1, packets / places) * wide;

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
  const line = !roomy ? barTop + barHeight + 15 : top + 18;
  const start = !roomy ? left : left + 40 + labelWidth;
  context.fillStyle = colours.soft;
  cross(context, start + 5, line - 4, 3.5, colours.drop);
  context.fillText(`${drops} dropped`, start + 14, line);
  const next = start + 28 + context.measureText(`${drops} dropped`).width;
  circle(context, next + 5, line - 4, 4, colours.target);
  context.fillText(`${marks} marked`, next + 14, line);

  // Senders.
  if (!narrow) {
    context.font = "13px system-ui, Helvetica, Arial, sans-serif";
    context.textAlign = "left";
    context.fillStyle = colours.soft;
    context.fillText("senders", 8, middle + 4);
    arrow(context, 62, left - 6, middle, colours.soft);
  }

  // The queue: the head is at the right, beside the link; the range of the last seconds behind it.
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, barTop + 0.5, wide - 1, barHeight - 1);
  const from = Math.max(0, ring.at(view.now - HISTORY));
  const past = ring.column(port + "queue").subarray(from);
  if (past.length > 1) {
    let [low, high] = [Infinity, 0];
    for (const one of past) {
      low = Math.min(low, one);
      high = Math.max(high, one);
    }
    context.globalAlpha = 0.18;
    context.fillStyle = colour;
    context.fillRect(x(high), barTop + 1, x(low) - x(high), barHeight - 2);
    context.globalAlpha = 1;
  }
  context.fillStyle = colour;
  if (places <= SINGLE && wide / places >= 3) {
    const step = wide / places;
    for (let index = 0; index < Math.min(places, Math.round(queue)); index++) context.fillRect(right - (index + 1) * step + 1, barTop + 4, step - 1.5, barHeight - 8);
  } else context.fillRect(x(queue), barTop + 4, right - x(queue), barHeight - 8);
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
  arrow(context, right + 4, width - 6, middle, colours.line);
  context.fillStyle = colours.soft;
  context.font = "13px system-ui, Helvetica, Arial, sans-serif";
  context.textAlign = "center";
  context.fillText(rateText(resolved.port.rate_bps), right + linkWidth / 2, barTop - 8);

  // What happens: packets leave, marked ones with a ring, dropped ones fall.
  const news = lane.news(view);
  if (!still) {
    const full = x(Math.max(queue, 1));
    lane.spawn(news, elapsed, { x: Math.max(left, full) - 2, y: barTop + barHeight }, { x: right + 4, y: middle }, narrow ? left : 62);
    for (const particle of lane.particles) {
      const age = Math.max(0, particle.age) / TRAVEL;
      if (particle.kind === "drop") {
        const y = particle.y + 2 + 22 * age * age;
        context.globalAlpha = 1 - age;
        cross(context, particle.x, y, 4, colours.drop);
        context.globalAlpha = 1;
      } else {
        const arrives = particle.kind === "arrival";
        // A packet reaches the tail in a third of the time, and then it is part of the queue.
        if (arrives && age > 1 / 3) continue;
        const at = arrives ? particle.x + 3 * age * (Math.max(left, full) - particle.x) : particle.x + age * (linkWidth - 4);
        context.fillStyle = colour;
        context.beginPath();
        context.arc(at, particle.y, 3, 0, 2 * Math.PI);
        context.fill();
        if (particle.kind === "mark") circle(context, at, particle.y, 6, colours.target);
      }
    }
  }
}

function arrow(context: CanvasRenderingContext2D, from: number, to: number, y: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(from, y);
  context.lineTo(to, y);
  context.moveTo(to - 5, y - 4);
  context.lineTo(to, y);
  context.lineTo(to - 5, y + 4);
  context.stroke();
}

function cross(context: CanvasRenderingContext2D, x: number, y: number, size: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x + size, y - size);
  context.lineTo(x - size, y + size);
  context.stroke();
}

function circle(context: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}
