import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { initSync } from "../pkg/weir_wasm.js";
import { Budget } from "../src/core/budget";
import { encode, RefusedLink } from "../src/core/share";
import { UnknownName, wanted } from "../src/core/wanted";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

it.each([["", "start"], ["#", "start"], ["#start", "start"], ["#lesson/rem", "lesson/rem"], ["#lesson%2Frem", "lesson/rem"], ["#queue/pie", "queue/pie"], ["#template/isp", "template/isp"]])(
  "%s asks for %s",
  async (fragment, id) => {
    expect(await wanted(fragment)).toEqual({ id });
  },
);

it("a packed state is read", async () => {
  const state = { text: "schema = 1", shown: [null], speed: 2 };
  expect(await wanted(`#${await encode(state)}`)).toEqual({ state });
});

it.each(["#lesson/none", "#other", "#queue/none", "#%E0%A4%A"])("%s is a name that the page does not have", async (fragment) => {
  await expect(wanted(fragment)).rejects.toThrow(UnknownName);
});

it("a broken state is no unknown name", async () => {
  const error: unknown = await wanted("#s=abc").catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(RefusedLink);
  expect(error).not.toBeInstanceOf(UnknownName);
});

it("a budget takes so many acts in so much time", () => {
  const budget = new Budget(2, 100);
  expect([budget.take(0), budget.take(10), budget.take(20)]).toEqual([0, 0, 80]);
  expect([budget.take(99), budget.take(100), budget.take(101)]).toEqual([1, 0, 9]);
  expect(budget.take(110)).toBe(0);
});
