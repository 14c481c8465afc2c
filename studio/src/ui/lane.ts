/** The part of the pipe that one variant has. */

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
  /** Horizontal position of a place in the queue, counted from its head. */
  x: (packets: number) => number;
}
