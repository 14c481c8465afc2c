import { expect, it } from "vitest";
import { hosted, plain, reach } from "../src/core/places";
import { code, MOST_BYTES } from "../src/core/qr";
import { scanned } from "./scan";

const link = (bytes: number): string => "https://example.org/#s=".padEnd(bytes, "aB3_-");

it.each([40, 300, 1200, MOST_BYTES])("a reader finds the link of %i bytes in its code", (bytes) => {
  const { path, size } = code(link(bytes))!;
  expect(scanned(path, size)).toBe(link(bytes));
});

it("a link that is too long has no code; letters count as UTF-8", () => {
  expect(code(link(MOST_BYTES + 1))).toBeUndefined();
  expect(code("é".repeat(MOST_BYTES / 2 + 1))).toBeUndefined();
});

it("an address is plain without query and fragment", () => {
  expect(plain("file:///a/index.html?compact&x=#s=abc#?")).toBe("file:///a/index.html");
});

it.each([
  ["https://example.org/studio/#lesson/rem", "https://example.org/studio/"],
  [" example.org/studio ", "https://example.org/studio"],
  ["http://10.0.0.1:8000", "http://10.0.0.1:8000/"],
])("%s is the hosted copy %s", (typed, address) => {
  expect(hosted(typed)).toBe(address);
});

it.each(["", " ", "file:///x", "javascript:alert(1)", "https://", "a b", "#x"])("%j is no hosted copy", (typed) => {
  expect(hosted(typed)).toBeUndefined();
});

it.each([
  ["file:///a/index.html", "file"], ["http://127.0.0.1:8000/", "machine"], ["http://localhost/", "machine"], ["http://[::1]/", "machine"],
  ["https://example.org/", "server"], ["http://127.example.org/", "server"],
] as const)("%s is for the %s", (address, who) => {
  expect(reach(address)).toBe(who);
});
