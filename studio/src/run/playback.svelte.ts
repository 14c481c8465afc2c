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
  /** How far a run that has come to an end went; undefined as long as all go on (s). */
  readonly end: number | undefined;
  restart(): void;
  seek(time: number): void;
}

/** Where time ends (s), if no run ends before: 100 days. */
const END = 8_640_000;

export class Playback {
  playing = $state.raw(false);
  speed = $state.raw(USUAL_SPEED);
  readonly clock = new Clock();

  constructor(private readonly played: Played) {}

  play(): void {
    if (this.clock.time >= this.end) this.played.restart();
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
    this.clock.time = Math.min(this.end, time + step);
  }

  /** To the end of the scenario's run, and no further. */
  toEnd(): void {
    this.pause();
    this.played.seek(this.played.duration);
  }

  private get end(): number {
    return Math.min(END, this.played.end ?? END);
  }

  setSpeed(speed: number): void {
    this.clock.speed = this.speed = speed;
  }

  /** The distance of rows (s): 20 ms, fewer where time goes fast and is long, more of them at slow speed. */
  get every(): number {
    return this.speed < 1 ? Math.max(1e-4, Math.min(this.coarse, this.speed / 60)) : this.coarse;
  }

  /** The distance of rows at usual speed (s). */
  get coarse(): number {
    return Math.max(0.02, Math.min(this.clock.time / 5000, this.speed / 1000));
  }

  /** Passes `elapsed` seconds, with the slowest run at `reached`. Returns the time that runs should reach next. */
  tick(elapsed: number, reached: number): number {
    const goal = this.clock.tick(elapsed, reached, this.end);
    if (this.playing !== this.clock.playing) this.playing = this.clock.playing;
    return goal;
  }

  /** True where a change comes in mid-run. At the very end of the scenario's run a change is of the whole run. */
  get isUnderWay(): boolean {
    return this.clock.time > 0 && (this.playing || this.clock.time !== this.played.duration);
  }
}
