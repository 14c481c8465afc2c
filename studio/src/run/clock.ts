import { USUAL_SPEED } from "../core/share";

/** Simulated time as the page asks for it, in seconds. It never runs ahead of the slowest run for long. */
export class Clock {
  time = 0;
  playing = false;
  /** Simulated seconds per second; Infinity: as fast as it goes. */
  speed = USUAL_SPEED;

  /**
   * Passes `elapsed` seconds. `reached` is how far the slowest run is, `end` where time ends.
   * Returns the time that runs should reach next.
   */
  tick(elapsed: number, reached: number, end: number): number {
    if (!this.playing) return this.time;
    if (this.speed === Infinity) {
      this.time = Math.min(Math.max(this.time, reached), end);
      if (reached >= end) this.playing = false;
      return end;
    }
    // After a pause of the page (a hidden tab) the clock goes on from where it was.
    const step = Math.min(elapsed, 0.1) * this.speed;
    const lead = Math.max(0.1 * this.speed, 1e-4);
    this.time = Math.min(Math.max(this.time, Math.min(this.time + step, reached + lead)), end);
    if (this.time >= end && reached >= end) this.playing = false;
    return this.time;
  }
}

export const SLOWEST = 0.01;
const FASTEST = 1000;
/** 40 for each factor of ten, so that 1× is one of them, and the end of the slider. */
export const SPEED_STEPS = 201;

/** The speed at `step` of the slider: log scale, its end means as fast as it goes. */
export function speedAt(step: number): number {
  if (step >= SPEED_STEPS) return Infinity;
  const exact = SLOWEST * (FASTEST / SLOWEST) ** (step / (SPEED_STEPS - 1));
  return Number(exact.toPrecision(3));
}

/** The step of the slider nearest to `speed`. */
export function stepOf(speed: number): number {
  if (speed === Infinity) return SPEED_STEPS;
  return Math.round(((SPEED_STEPS - 1) * Math.log(speed / SLOWEST)) / Math.log(FASTEST / SLOWEST));
}
