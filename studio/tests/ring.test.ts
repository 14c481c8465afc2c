import { describe, expect, it } from "vitest";
import { Ring } from "../src/run/ring";

function rows(from: number, to: number): Float64Array {
  return Float64Array.from({ length: 2 * (to - from) }, (_, index) => (index % 2 === 0 ? from + index / 2 : 10 * (from + (index - 1) / 2)));
}

describe("ring", () => {
  it("keeps the newest rows in order, whatever their number", () => {
    const ring = new Ring(["time", "value"], 5);
    for (let row = 0; row < 57; row += 3) {
      ring.push(rows(row, row + 3));
      const last = row + 2;
      const kept = Math.min(5, last + 1);
      expect(ring.length).toBe(kept);
      expect([...ring.column("time")]).toEqual(Array.from({ length: kept }, (_, index) => last - kept + 1 + index));
      expect(ring.last("value")).toBe(10 * last);
    }
  });
  it("takes more rows at once than it keeps", () => {
    const ring = new Ring(["time", "value"], 4);
    ring.push(rows(0, 100));
    expect([...ring.column("value")]).toEqual([960, 970, 980, 990]);
  });
  it("finds the row at a time", () => {
    const ring = new Ring(["time", "value"], 10);
    ring.push(rows(3, 8));
    expect([2, 3, 3.5, 7, 99].map((time) => ring.at(time))).toEqual([-1, 0, 0, 4, 4]);
  });
  it("has no values of a column that is not there", () => {
    const ring = new Ring(["time"], 3);
    expect(ring.column("price")).toHaveLength(0);
    expect(ring.last("time")).toBeNaN();
  });
});
