import { expect, it } from "vitest";
import { START } from "../src/core/library";
import { decode, encode } from "../src/core/share";

it("a link gives back what was shared, and is short", async () => {
  const state = { text: START + "# é €\n", shown: [null, "b"], speed: null };
  const fragment = await encode(state);
  expect(fragment).toMatch(/^s=[\w-]+$/);
  expect(fragment.length).toBeLessThan(900);
  expect(await decode("#" + fragment)).toEqual(state);
});

it.each(["", "#", "#other", "#s=", "#s=abc", "#s=!"])("%s is no link to a scenario", async (fragment) => {
  expect(await decode(fragment)).toBeUndefined();
});
