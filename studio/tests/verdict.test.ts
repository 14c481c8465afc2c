import { expect, it } from "vitest";
import { differs, paired } from "../src/run/verdict.svelte";

it("a paired difference has Student's interval", () => {
  // By hand: differences 1, 2, 3; standard error 1/sqrt(3); t with 2 degrees of freedom is 4.303.
  const found = paired([1, 1, 1], [2, 3, 4])!;
  expect(found.mean).toBe(2);
  expect(found.margin).toBeCloseTo(4.303 / Math.sqrt(3), 6);
  expect(differs(found)).toBe(false);
  expect(differs(paired([1, 1, 1], [2, 2.01, 2])!)).toBe(true);
});

it("one pair says nothing", () => {
  expect(paired([1], [2])).toBeUndefined();
});
