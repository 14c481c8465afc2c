import { deflateRawSync } from "node:zlib";
import { expect, it } from "vitest";
import { START } from "../src/core/library";
import { decode, encode, RefusedLink } from "../src/core/share";

it("a link gives back what was shared, and is short", async () => {
  const state = { text: START + "# é €\n", shown: [null, "b"], speed: null };
  const fragment = await encode(state);
  expect(fragment).toMatch(/^s=[\w-]+$/);
  expect(fragment.length).toBeLessThan(900);
  expect(await decode("#" + fragment)).toEqual(state);
});

it("a link holds what is set on the page, and nothing that is none", async () => {
  const state = { text: START, shown: ["b"], speed: 0.5, from: "lesson/rem", inner: "price", span: 20, whole: true, mechanism: true };
  expect(await decode(await encode(state))).toEqual(state);
  const odd = { text: START, shown: ["b"], speed: -1, from: 3, inner: null, span: "x", whole: "no", mechanism: 1 };
  expect(await decode(await encode(odd as never))).toEqual({ text: START, shown: ["b"], speed: null });
});

it.each(["", "#", "#other", "#lesson/rem"])("%s is no link to a scenario", async (fragment) => {
  expect(await decode(fragment)).toBeUndefined();
});

it.each(["#s=", "#s=abc", "#s=!", "#s=a b"])("%s is a link that cannot be read", async (fragment) => {
  await expect(decode(fragment)).rejects.toThrow(RefusedLink);
});

it("a link that lost its end, and one to something else, are refused", async () => {
  const fragment = await encode({ text: START, shown: [null], speed: null });
  await expect(decode(fragment.slice(0, -40))).rejects.toThrow("cut off or changed");
  await expect(decode(await encode({ text: START, shown: [7] } as never))).rejects.toThrow("holds no scenario");
});

it("a link that would fill the memory is refused before it has", async () => {
  const state = { text: "#".repeat(64 * 1024 * 1024), shown: [null], speed: null };
  const bomb = `s=${deflateRawSync(JSON.stringify(state)).toString("base64url")}`;
  expect(bomb.length).toBeLessThan(100_000);
  await expect(decode(bomb)).rejects.toThrow("more than 4 MB");
  // Nor is one made.
  await expect(encode(state)).rejects.toThrow("more than 4 MB");
});
