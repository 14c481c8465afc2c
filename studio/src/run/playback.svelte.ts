/** How the page goes through simulated time: play, pause, step and speed. */
import { packetRate } from "../core/rates";
import type { Resolved } from "../core/scenario";
import { USUAL_SPEED } from "../core/share";
import { Clock } from "./clock";
import { isClose } from "./run";

/** The runs that are played. */
interface Played {
  readonly duration: number;
  readonly resolved: Resolved[];
  restart(): void;
}

export class Playback {
  playing = $state.raw(false);
  speed = $state.raw(USUAL_SPEED);
  readonly clock = new Clock();

  constructor(private readonly played: Played) {}

  play(): void {
    if (this.clock.time >= this.played.duration) this.played.restart();
    this.clock.playing = this.playing = true;
  }

  pause(): void {
    this.clock.playing = this.playing = false;
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** One step further: a packet where they are seen one by one. */
  step(): void {
    this.pause();
    const one = this.played.resolved[0];
    const { time } = this.clock;
    const step = one && isClose(one, this.speed, time) ? 1 / packetRate(one, time) : this.every;
    this.clock.time = Math.min(this.played.duration, time + step);
  }

  toEnd(): void {
    this.clock.time = this.played.duration;
  }

  setSpeed(speed: number): void {
    this.clock.speed = this.speed = speed;
  }

  /** The distance of rows (s): 20 ms, fewer in long runs, more of them at slow speed. */
  get every(): number {
    return this.speed < 1 ? Math.max(1e-4, Math.min(this.coarse, this.speed / 60)) : this.coarse;
  }

  /** The distance of rows at usual speed (s). */
  get coarse(): number {
    return Math.max(0.02, this.played.duration / 5000);
  }

  /** Passes `elapsed` seconds, with the slowest run at `reached`. Returns the time that runs should reach next. */
  tick(elapsed: number, reached: number): number {
    const goal = this.clock.tick(elapsed, reached, this.played.duration);
    if (this.playing !== this.clock.playing) this.playing = this.clock.playing;
    return goal;
  }

  /** True where a change can come in the middle of the run, playing or not. */
  get isUnderWay(): boolean {
    return this.clock.time > 0 && this.clock.time < this.played.duration;
  }
}
