import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { initSync } from "../pkg/weir_wasm.js";
import { START } from "../src/core/library";
import { changesOf, labelOf, titleOf } from "../src/core/names";
import { withCongestion } from "../src/core/controls";
import { edit, resolve, withDiscipline } from "../src/core/scenario";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

it("a label stays with what it names", () => {
  const first = resolve(START, "b");
  expect(labelOf(first, first)).toBe("CoDel");
  expect(labelOf(resolve(withDiscipline(START, first, "pie"), "b"), first)).toBe("PIE");
  // A discipline that a move brings leaves the label of the text.
  expect(labelOf({ ...resolve(withDiscipline(START, first, "pie"), "b"), label: "CoDel" }, first)).toBe("PIE");
  const longer = resolve(edit(START, "variants.b.links.bottleneck.queue.codel.target", '"20 ms"'), "b");
  expect(labelOf(longer, first)).toBe("CoDel, target 20 ms");
  expect(labelOf(longer, undefined)).toBe("CoDel");
});

it("a title says what is no more as it says", () => {
  const first = resolve(START, "a");
  const now = resolve(edit(edit(START, "flows.cubic.count", "40"), "links.bottleneck.rate", '"10 Mbit/s"'), "a");
  const changes = changesOf(now, first);
  expect(changes).toEqual(["rate 10 Mbit/s", "cubic count 40"]);
  expect(titleOf("20 flows", changes)).toBe("20 flows (now rate 10 Mbit/s, cubic count 40)");
  expect(changesOf(first, first)).toEqual([]);
  expect(titleOf("20 flows", [])).toBe("20 flows");
  expect(titleOf("x", ["a 1", "b 2", "c 3", "d 4", "e 5"])).toBe("x (now a 1, b 2, c 3, 2 more)");
  // Another choice is one change, whatever its defaults are.
  expect(changesOf(resolve(withCongestion(START, "flows.cubic", "reno", ["a"]), "a"), first)).toEqual(["congestion reno"]);
  // The queue has a label of its own.
  expect(changesOf(resolve(withDiscipline(START, first, "pie"), "a"), first)).toEqual([]);
});
