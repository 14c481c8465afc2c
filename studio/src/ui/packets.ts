/** Packets one by one: they enter, wait, are marked, dropped or sent, and their ACKs return, when they do so in the simulator. */
import type { Packet, Packets } from "../run/packets";
import type { View } from "../run/run";
import type { Lane } from "./lane";
import { circle, cross, disc, patterned } from "./shapes";
import type { Palette } from "./theme.svelte";

/** How long a drop falls (s on the page). */
const FALL = 0.9;
/** A packet is hit so far from its middle (px). */
const NEAR = 8;
/** A packet goes half of the way to its place in so long (s on the page). */
const HALF = 0.05;

/** The packet at a point, or beside it; undefined if there is none. */
export function packetAt({ waiting, sent }: Packets, lane: Lane, x: number, y: number): Packet | undefined {
  if (y < lane.top - NEAR || y > lane.top + lane.height + NEAR) return undefined;
  const away = (one: Packet): number => Math.abs(one.x + (one.x < lane.right ? lane.step / 2 : 0) - x);
  let found: Packet | undefined;
  for (const one of [...waiting, ...sent]) if (away(one) <= (found ? away(found) : NEAR)) found = one;
  return found;
}

/** Draws them; those of the flow that is `followed` are ringed. */
export function drawPackets(
  context: CanvasRenderingContext2D,
  view: View,
  packets: Packets,
  lane: Lane,
  variant: string,
  colours: Palette,
  speed: number,
  elapsed: number,
  still: boolean,
  followed?: number,
): void {
  const { now, resolved } = view;
  const fall = FALL * speed;
  const delay = resolved.port.delay_s;
  packets.forget(now, delay, fall);
  const size = Math.max(1.5, Math.min(lane.step - 1.5, lane.height - 8));
  const tall = lane.height - 8;

  // Who waited before packets were followed: nobody knows whose they are until they leave.
  context.fillStyle = colours.line;
  for (let index = 0; index < packets.strangers; index++) {
    const x = lane.right - (index + 1) * lane.step;
    if (x < lane.left) break;
    context.fillRect(x + 1, lane.top + 4, size, tall);
  }
  const near = still ? 1 : 1 - 0.5 ** (elapsed / HALF);
  packets.waiting.forEach((one, index) => {
    const place = Math.max(lane.left - lane.step, lane.right - (packets.strangers + index + 1) * lane.step);
    one.x = Number.isNaN(one.x) ? (still ? place : lane.left - size) : one.x + (place - one.x) * near;
    if (one.x < lane.left - size) return;
    patterned(context, one.x + 1, lane.top + 4, size, tall, one.group, variant);
    if (one.flow === followed) {
      context.strokeStyle = colours.ink;
      context.lineWidth = 2;
      context.strokeRect(one.x - 0.5, lane.top + 1.5, size + 3, tall + 5);
    }
    if (one.marked) circle(context, one.x + 1 + size / 2, lane.middle, Math.max(4, size / 2 + 2), colours.target);
  });

  // On the link: out of the port bit by bit, then as long as the propagation delay takes.
  const from = lane.right + 6;
  for (const one of packets.sent) {
    const part = delay > 0 ? Math.max(0, now - one.until) / delay : 0;
    const out = Math.min(1, (now - one.from) / Math.max(1e-12, one.until - one.from));
    const x = one.until > now ? lane.right - 4 + out * 10 : from + part * (lane.end - from - 6);
    one.x = x;
    disc(context, x, lane.middle, 4, one.group, variant);
    if (one.flow === followed) circle(context, x, lane.middle, 8, colours.ink);
    if (one.marked) circle(context, x, lane.middle, 6, colours.target);
  }

  for (const one of packets.dropped) {
    const age = fall > 0 ? (now - one.at) / fall : 0;
    const x = Math.max(lane.left + 5, Number.isNaN(one.x) ? lane.left + 5 : one.x);
    context.globalAlpha = Math.max(0, 1 - age);
    disc(context, x, lane.top + lane.height + 4 + 26 * age * age, 3, one.group, variant);
    cross(context, x, lane.top + lane.height + 4 + 26 * age * age, 4, colours.drop);
    context.globalAlpha = 1;
  }

  // ACKs are small and open: they are no data.
  const [begin, goal] = [lane.end - 4, (lane.left < 60 ? lane.left : 62) + 6];
  for (const one of packets.acks) {
    const part = Number.isNaN(one.until) ? 1 : Math.max(0, (now - one.from) / Math.max(1e-12, one.until - one.from));
    const x = begin + part * (goal - begin);
    circle(context, x, lane.back, 2.5, variant);
    if (one.flow === followed) circle(context, x, lane.back, 5.5, colours.ink);
  }
}
