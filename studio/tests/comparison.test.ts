import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { initSync } from "../pkg/weir_wasm.js";
import { differs, paired } from "../src/run/comparison.svelte";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

it("a paired difference has Student's interval", () => {
  // By hand: differences 1, 2, 3; standard error 1/sqrt(3); t with 2 degrees of freedom is 4.302653.
  const found = paired([1, 1, 1], [2, 3, 4])!;
  expect(found.mean).toBe(2);
  expect(found.margin).toBeCloseTo(4.302653 / Math.sqrt(3), 6);
  expect(differs(found)).toBe(false);
  expect(differs(paired([1, 1, 1], [2, 2.01, 2])!)).toBe(true);
});

it("31 pairs have the quantile of 30 degrees of freedom, not that of the normal distribution", () => {
  const steps = Array.from({ length: 31 }, (_, index) => index);
  // Differences 0 to 30: variance 31 * 32 / 12; t with 30 degrees of freedom is 2.042272.
  const found = paired(steps.map(() => 0), steps)!;
  expect(found.margin).toBeCloseTo(2.042272 * Math.sqrt((31 * 32) / 12 / 31), 5);
});

it("one pair says nothing", () => {
  expect(paired([1], [2])).toBeUndefined();
});
