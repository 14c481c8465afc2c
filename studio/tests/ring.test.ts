import { describe, expect, it } from "vitest";
import { Ring } from "../src/run/ring";

/** The time, a sum, and a level that swings around 50 with the seconds. */
const COLUMNS = ["time", "links.one.forward.departures", "links.one.forward.queue"];
const [SUM, LEVEL] = [COLUMNS[1]!, COLUMNS[2]!];
const level = (time: number): number => 50 + 40 * Math.sin(time);

function rows(from: number, to: number, every = 1): Float64Array {
  const all: number[] = [];
  for (let step = from; step < to; step++) all.push(step * every, 10 * step, level(step * every));
  return Float64Array.from(all);
}

describe("ring", () => {
  it("keeps the newest rows as they came, however they come", () => {
    const ring = new Ring(COLUMNS, 5);
    for (let row = 0; row < 57; row += 3) {
      ring.push(rows(row, row + 3));
      const last = row + 2;
      expect([...ring.column("time")].slice(-5)).toEqual(Array.from({ length: Math.min(5, last + 1) }, (_, index) => Math.max(0, last - 4) + index));
      expect(ring.last(SUM)).toBe(10 * last);
    }
    const once = new Ring(COLUMNS, 5);
    once.push(rows(0, 57));
    expect([...once.column("time")]).toEqual([...ring.column("time")]);
  });
  it("takes each row once", () => {
    const ring = new Ring(COLUMNS, 10);
    ring.push(rows(0, 8));
    ring.push(rows(3, 9));
    expect([...ring.column("time")]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });
  it("thins older rows in bounded room: sums stay exact where they are kept, and levels have an envelope", () => {
    const ring = new Ring(COLUMNS, 100);
    const { bytes } = ring;
    for (let row = 0; row < 100_000; row += 50) {
      ring.push(rows(row, row + 50, 0.02));
      expect(ring.length).toBeLessThanOrEqual(250);
    }
    expect(ring.bytes).toBe(bytes);
    const times = ring.column("time");
    const { step, until } = ring.coarse;
    expect(until).toBeLessThan(2000 - 100 * 0.02);
    const [low, high] = ring.envelope(LEVEL)!;
    expect(ring.envelope(SUM)).toBeUndefined();
    for (let row = 1; row < ring.length; row++) {
      const [before, time] = [times[row - 1]!, times[row]!];
      expect(time).toBeGreaterThan(before);
      expect(time - before).toBeLessThanOrEqual(step + 1e-9);
      expect(ring.value(SUM, row)).toBeCloseTo((10 * time) / 0.02, 3);
      const passed = Array.from({ length: Math.round((time - before) / 0.02) }, (_, index) => level(before + 0.02 * (index + 1)));
      expect(low[row]).toBeCloseTo(Math.min(...passed), 6);
      expect(high[row]).toBeCloseTo(Math.max(...passed), 6);
    }
  });
  it("finds the row at a time", () => {
    const ring = new Ring(COLUMNS, 10);
    ring.push(rows(3, 8));
    expect([2, 3, 3.5, 7, 99].map((time) => ring.at(time))).toEqual([-1, 0, 0, 4, 4]);
  });
  it("has no values of a column that is not there", () => {
    const ring = new Ring(["time"], 3);
    expect(ring.column("price")).toHaveLength(0);
    expect(ring.last("price")).toBeNaN();
    expect(ring.last("time")).toBeNaN();
  });
});
