/** The packets at a queue, one by one, from the simulator's steps: who waits, who is on the way, who was dropped. */

/** Numbers of a step: time, time at which it is over, kind, group, flow, number. */
const WIDTH = 6;
/** The kinds, as `Simulation.steps` numbers them. */
const [ARRIVED, MARKED, DROPPED, SENT, ACK_SENT, ACK_ARRIVED] = [0, 1, 2, 3, 4, 5];

export interface Packet {
  group: number;
  flow: number;
  number: number;
  /** When it arrived at the queue (s). */
  arrived: number;
  marked: boolean;
  /** Where it is drawn, for those who draw it; NaN before. */
  x: number;
}

/** On the wire from `from` on; its last bit leaves the port at `until` (s). */
export interface Sent extends Packet {
  from: number;
  until: number;
}

export interface Dropped extends Packet {
  at: number;
}

/** From the receiver, or the last queue on the way, to the sender; `until` is NaN if it is seen only as it arrives. */
export interface Ack {
  group: number;
  flow: number;
  from: number;
  until: number;
}

export class Packets {
  /** In the order of their arrival. */
  waiting: Packet[] = [];
  sent: Sent[] = [];
  dropped: Dropped[] = [];
  acks: Ack[] = [];
  /** Packets that waited when following began. */
  strangers: number;

  constructor(strangers: number) {
    this.strangers = strangers;
  }

  /** Takes steps, in the order of time. */
  take(steps: Float64Array): void {
    for (let at = 0; at + WIDTH <= steps.length; at += WIDTH) {
      const [time, until, kind, group, flow, number] = steps.subarray(at, at + WIDTH) as unknown as [number, number, number, number, number, number];
      if (kind === ARRIVED) this.waiting.push({ group, flow, number, arrived: time, marked: false, x: NaN });
      else if (kind === MARKED) this.mark(flow, number);
      else if (kind === DROPPED) this.dropped.push({ ...this.leave(group, flow, number), at: time });
      else if (kind === SENT) this.sent.push({ ...this.leave(group, flow, number), from: time, until });
      else if (kind === ACK_SENT) this.acks.push({ group, flow, from: time, until });
      else if (kind === ACK_ARRIVED) this.arrive(group, flow, time);
    }
  }

  /** Forgets what is over at `time`, for packets that need `delay` behind the port and drops that are seen for `fall` (s). */
  forget(time: number, delay: number, fall: number): void {
    this.sent = this.sent.filter((one) => one.until + delay > time);
    this.dropped = this.dropped.filter((one) => one.at + fall > time);
    this.acks = this.acks.filter((one) => (Number.isNaN(one.until) ? one.from + fall : one.until) > time);
  }

  private mark(flow: number, number: number): void {
    const packet = this.waiting.find((one) => one.flow === flow && one.number === number);
    if (packet) packet.marked = true;
  }

  /** The packet that leaves the queue; who waited before following began is known only now. */
  private leave(group: number, flow: number, number: number): Packet {
    const place = this.waiting.findIndex((one) => one.flow === flow && one.number === number);
    if (place >= 0) return this.waiting.splice(place, 1)[0]!;
    this.strangers = Math.max(0, this.strangers - 1);
    return { group, flow, number, arrived: NaN, marked: false, x: NaN };
  }

  /** An ACK that was on its way when following began is seen as it arrives. */
  private arrive(group: number, flow: number, time: number): void {
    const known = this.acks.some((one) => one.group === group && Math.abs(one.until - time) < 1e-12);
    if (!known) this.acks.push({ group, flow, from: time, until: NaN });
  }
}
