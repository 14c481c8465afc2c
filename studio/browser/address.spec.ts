import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { expect, type Page } from "@playwright/test";
import { scanned } from "../tests/scan";
import { FILE, PLAIN, choose, poll, test, textOf, time } from "./page";

interface State {
  text: string;
  shown: (string | null)[];
  speed: number | null;
  from?: string;
  inner?: string;
  span?: number;
  whole?: boolean;
}
const fragment = (page: Page): string => new URL(page.url()).hash;
const packed = (state: Partial<State>): string => `#s=${deflateRawSync(JSON.stringify(state)).toString("base64url")}`;
const unpacked = (hash: string): State => JSON.parse(inflateRawSync(Buffer.from(hash.slice(3), "base64url")).toString()) as State;
const heading = (page: Page, number: number): Promise<void> => expect(page.getByRole("heading", { name: `Lesson ${number} of` })).toBeVisible();
async function type(page: Page, label: string, value: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByLabel(label, { exact: true }).press("Enter");
}

test("the address names the lesson, and holds what is changed; Back, Forward and reload bring it back", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0);
  expect(fragment(studio)).toBe("");
  await choose(studio, "3. REM: a price instead of a queue");
  await poll(() => fragment(studio)).toBe("#lesson/rem");
  await type(studio, "reno, typed", "60");
  await poll(() => fragment(studio)).toMatch(/^#s=/);
  // The change belongs to the lesson that is left, however soon that is.
  await studio.getByRole("button", { name: "Undo" }).click();
  await poll(() => fragment(studio)).toBe("#lesson/rem");
  await studio.getByRole("button", { name: "Redo" }).click();
  await studio.getByRole("button", { name: "Next" }).click();
  await poll(() => fragment(studio)).toBe("#lesson/my-line");
  await studio.goBack();
  await heading(studio, 3);
  await expect(studio.getByLabel("reno, typed")).toHaveValue("60");
  await studio.reload();
  await heading(studio, 3);
  await expect(studio.getByLabel("reno, typed")).toHaveValue("60");
  await expect(studio.locator("p.title")).toHaveText(/now reno count 60/);
  await studio.goForward();
  await heading(studio, 4);
  await studio.goBack();
  await studio.goBack();
  await expect(studio.getByRole("heading", { name: /^Lesson/ })).toHaveCount(0);
  expect(fragment(studio)).toBe("");
});

test("a link that is followed or typed opens what it names; one that cannot be read leaves what is shown", async ({ studio }) => {
  await studio.emulateMedia({ reducedMotion: "reduce" });
  await studio.goto(PLAIN + "#lesson/rem");
  await heading(studio, 3);
  const go = (hash: string): Promise<void> => studio.evaluate((to) => void (location.hash = to), hash);
  await go("#lesson/codel");
  await heading(studio, 5);
  const alert = studio.getByRole("alert");
  for (const [hash, reason] of [["#lesson/none", "this page has nothing named lesson/none"], ["#s=abc", "it is cut off or changed"], ["#%E0%A4%A", "it is no text"]] as const) {
    await go(hash);
    await expect(alert).toContainText(`This address cannot be shown: ${reason}`);
    await heading(studio, 5);
  }
  await studio.getByRole("button", { name: "Close" }).click();
  await expect(alert).toHaveCount(0);
  await poll(() => fragment(studio)).toBe("#lesson/codel");
  await go(packed({ text: "schema = 1", shown: [null], speed: 5 }));
  await expect(alert).toContainText("missing field");
  await heading(studio, 5);
  await studio.goto("about:blank");
  await studio.goto(PLAIN + "#other");
  await expect(alert).toContainText("this page has nothing named other");
  await poll(() => time(studio)).toBeGreaterThan(0);
});

test("the address holds variants, moves, speed, inner plot, window and mode", async ({ studio }) => {
  await studio.goto(PLAIN + "#lesson/rem");
  await poll(() => time(studio)).toBeGreaterThan(1);
  await type(studio, "Rate, typed", "20 Mbit/s");
  await studio.getByRole("button", { name: "Remove A" }).click();
  await studio.getByLabel("Speed").fill("120");
  await studio.getByLabel("Variable").selectOption("signals");
  await studio.getByLabel("window").selectOption("20 s");
  await studio.getByRole("button", { name: "the whole run" }).click();
  await poll(() => (fragment(studio).startsWith("#s=") ? unpacked(fragment(studio)).whole : false)).toBe(true);
  const state = unpacked(fragment(studio));
  expect(state).toMatchObject({ shown: ["b"], from: "lesson/rem", inner: "signals", span: 20, speed: 10 });
  expect(state.text).toContain('links.bottleneck.rate = "20 Mbit/s"');
  await studio.reload();
  await expect(studio.getByRole("button", { name: "the whole run" })).toHaveAttribute("aria-pressed", "true");
  await expect(studio.getByLabel("Speed")).toHaveValue("120");
  await expect(studio.getByLabel("window")).toHaveValue("20");
  await expect(studio.getByLabel("Variable")).toHaveValue("signals");
  await expect(studio.getByLabel("Queue discipline of B")).toHaveCount(0);
  await expect(studio.getByRole("slider", { name: "Change: bottleneck rate 20 Mbit/s" })).toHaveCount(1);
});

test("a slider that moves all the time writes few addresses", async ({ studio }) => {
  await studio.emulateMedia({ reducedMotion: "reduce" });
  await studio.addInitScript(() => {
    const plain = history.replaceState.bind(history);
    Object.assign(window, { writes: 0 });
    history.replaceState = (...all) => {
      (window as unknown as { writes: number }).writes += 1;
      plain(...all);
    };
  });
  await studio.goto(PLAIN);
  const slider = studio.getByRole("slider", { name: "RTT", exact: true });
  for (let step = 0; step < 20; step++) await slider.press(step % 2 ? "ArrowLeft" : "ArrowRight");
  await slider.press("PageUp");
  await poll(() => fragment(studio)).toMatch(/^#s=/);
  expect(await studio.evaluate(() => (window as unknown as { writes: number }).writes)).toBeLessThan(10);
});

test("Share gives a link for this page or a hosted copy, as text and as a code", async ({ studio, context }) => {
  await studio.emulateMedia({ reducedMotion: "reduce" });
  await studio.goto(PLAIN + "#lesson/rem");
  await poll(() => time(studio)).toBeGreaterThan(0);
  await type(studio, "reno, typed", "60");
  const share = studio.getByRole("dialog", { name: "Share" });
  const link = share.getByRole("textbox", { name: "Link", exact: true });
  const scan = async (): Promise<string | undefined> => {
    const picture = share.getByRole("img", { name: "QR code of the link" });
    return scanned((await picture.locator("path").getAttribute("d"))!, Number((await picture.getAttribute("viewBox"))!.split(" ")[2]));
  };
  await studio.getByRole("button", { name: "Share" }).click();
  await expect(share).toContainText("works only where the file is");
  await expect(link).toHaveValue(new RegExp(`^${PLAIN}#s=`));
  expect(await scan()).toBe(await link.inputValue());
  expect(unpacked(new URL(await link.inputValue()).hash).text).toContain("count = 60");
  await share.getByLabel("as it was before").check();
  await expect(link).toHaveValue(`${PLAIN}#lesson/rem`);
  await share.getByLabel("Address of the hosted copy").fill("ftp://x");
  await expect(share).toContainText("Type the address of the page on a server.");
  await expect(link).toHaveCount(0);
  await share.getByLabel("Address of the hosted copy").fill("example.org/studio/");
  await expect(link).toHaveValue("https://example.org/studio/#lesson/rem");
  expect(await scan()).toBe("https://example.org/studio/#lesson/rem");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await share.getByRole("button", { name: "Copy" }).click();
  await expect(share.getByRole("status")).toContainText("Link copied");
  expect(await studio.evaluate(() => navigator.clipboard.readText())).toBe("https://example.org/studio/#lesson/rem");
  // The browser keeps the address of the copy, and it is the first choice from a file.
  await studio.reload();
  await studio.getByRole("button", { name: "Share" }).click();
  await expect(link).toHaveValue(/^https:\/\/example\.org\/studio\/#s=/);
});

test("a link that is too long for a code says so, and offers the short one", async ({ studio }) => {
  await studio.emulateMedia({ reducedMotion: "reduce" });
  const server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(readFileSync(FILE)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const page = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await studio.goto(page + "#lesson/rem");
  await studio.getByRole("button", { name: "Text" }).click();
  const text = textOf(studio);
  const noise = Array.from({ length: 4000 }, (_, index) => ((index * 7919) % 104729).toString(36)).join(" ");
  await text.fill(`${await text.value()}\n# ${noise}\n`);
  await text.blur();
  await studio.getByRole("button", { name: "Share" }).click();
  const share = studio.getByRole("dialog", { name: "Share" });
  await expect(share).toContainText("Only this machine can open the link");
  await expect(share).toContainText("a QR code holds 2,953");
  await share.getByRole("button", { name: "Take the short link" }).click();
  await expect(share.getByRole("textbox", { name: "Link", exact: true })).toHaveValue(`${page}#lesson/rem`);
  await expect(share.getByRole("img")).toBeVisible();
  server.close();
});
