import { describe, expect, it } from "vitest";
import { Clock, SPEED_STEPS, speedAt, stepOf } from "../src/run/clock";

describe("clock", () => {
  it("passes as much time as the speed says", () => {
    const clock = new Clock();
    clock.playing = true;
    clock.speed = 2;
    for (let frame = 0; frame < 60; frame++) clock.tick(1 / 60, clock.time, 100);
    expect(clock.time).toBeCloseTo(2);
  });
  it("waits for the slowest run", () => {
    const clock = new Clock();
    clock.playing = true;
    clock.speed = 10;
    for (let frame = 0; frame < 600; frame++) clock.tick(1 / 60, 3, 100);
    expect(clock.time).toBeCloseTo(4);
  });
  it("goes on from where it was after a hidden tab, and stands while paused", () => {
    const clock = new Clock();
    clock.playing = true;
    clock.speed = 1;
    clock.tick(3600, 0, 100);
    expect(clock.time).toBeCloseTo(0.1);
    clock.playing = false;
    clock.tick(1, 50, 100);
    expect(clock.time).toBeCloseTo(0.1);
  });
  it("asks for the end at once when it is as fast as it goes, and stops there", () => {
    const clock = new Clock();
    clock.playing = true;
    clock.speed = Infinity;
    expect(clock.tick(0.01, 7, 60)).toBe(60);
    expect(clock.time).toBe(7);
    clock.tick(0.01, 60, 60);
    expect([clock.time, clock.playing]).toEqual([60, false]);
  });
});

describe("speed", () => {
  it("goes from 0.01 to as fast as it goes, and back to its step", () => {
    expect([speedAt(0), speedAt(SPEED_STEPS)]).toEqual([0.01, Infinity]);
    expect([speedAt(40), speedAt(80), speedAt(200)]).toEqual([0.1, 1, 1000]);
    for (let step = 0; step <= SPEED_STEPS; step += 20) expect(stepOf(speedAt(step))).toBe(step);
  });
});
