/** Words beside the picture of a queue. */
import { packetRate, rateAt } from "../core/rates";
import { counted, digits, rateText } from "../core/units";
import type { Resolved } from "../core/scenario";
import { shownAt, type View } from "../run/run";

export const FONT = "13px system-ui, Helvetica, Arial, sans-serif";
export const SMALL = "12px system-ui, Helvetica, Arial, sans-serif";
/** Texts are renewed so often (s on the page): nobody reads faster, and each new text is measured. */
const EVERY = 0.1;

/** Time of the row that is shown (s). */
function timeOf(view: View): number {
  return view.ring.value("time", view.ring.at(shownAt(view)));
}

/** The words of one queue, with the widths (px) of those that others follow. */
export class Words {
  labelWidth = 0;
  waiting = "";
  dropped = "";
  droppedWidth = 0;
  marked = "";
  rate = "";
  private age = Infinity;
  private view: View | undefined;
  private resolved: Resolved | undefined;
  private room = NaN;
  /** Time of the row that the words describe (s). */
  private time = NaN;

  /** Returns true if the words describe a row that is no more the one that is shown. */
  stale(view: View): boolean {
    return timeOf(view) !== this.time && view.ring.length > 0;
  }

  /** `room` is the width of the queue (px), `roomy` whether the counts stand beside the name; `resolved` is what holds now. */
  renew(context: CanvasRenderingContext2D, view: View, resolved: Resolved, limit: number, room: number, roomy: boolean, elapsed: number): void {
    this.age += elapsed;
    const same = view === this.view && resolved === this.resolved && room === this.room;
    if (same && (this.age < EVERY || !this.stale(view))) return;
    [this.age, this.view, this.resolved, this.room, this.time] = [0, view, resolved, room, timeOf(view)];
    const { ring, port } = view;
    const row = ring.at(shownAt(view));
    const queue = ring.value(port + "queue", row) || 0;
    context.font = `600 ${FONT}`;
    this.labelWidth = context.measureText(resolved.label).width;
    const time = Number.isNaN(this.time) ? 0 : this.time;
    const delay = `${digits((queue * 1e3) / packetRate(resolved, time))} ms to send`;
    const both = `${roomy ? `${Math.round(queue)} of ${counted(Math.round(limit), "packet")}` : counted(Math.round(queue), "packet")} · ${delay}`;
    context.font = FONT;
    // A long name takes the place of the packets.
    this.waiting = this.labelWidth + context.measureText(both).width + 26 > room ? delay : both;
    this.dropped = `${ring.value(port + "drops", row) || 0} dropped`;
    this.marked = `${ring.value(port + "marks", row) || 0} marked`;
    this.rate = rateText(rateAt(resolved, time));
    context.font = SMALL;
    this.droppedWidth = context.measureText(this.dropped).width;
  }
}
