import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "@playwright/test";
import { FILE, PLAIN, choose, held, measure, poll, settled, test, textOf, time, toEnd, workers } from "./page";

test("opens from a file, and packets move", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0);
  const before = await studio.locator(".plots").screenshot();
  await poll(async () => (await studio.locator(".plots").screenshot()).equals(before)).toBe(false);
});

test("opens from a server that knows nothing of it", async ({ studio }) => {
  const server: Server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(readFileSync(FILE)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await studio.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await poll(() => time(studio)).toBeGreaterThan(0);
  server.close();
});

test("a slider changes what is run, and undo brings it back", async ({ studio }) => {
  const clock = await held(studio);
  await studio.goto(PLAIN);
  await toEnd(studio);
  const [full, short] = [await measure(studio, "Mean delay", 0), await measure(studio, "Mean delay", 1)];
  expect(full).toBeGreaterThan(10 * short);
  const buffer = studio.getByRole("slider", { name: "Buffer" });
  await buffer.focus();
  // Without a pause between them all steps are one stroke, which is one step of undo.
  await clock.hold();
  for (let step = 0; step < 20; step++) await buffer.press("ArrowLeft");
  await clock.release();
  await expect(studio.getByLabel("Buffer, typed")).toHaveValue(/^1\d\d packets$/);
  await poll(() => measure(studio, "Mean delay", 0)).toBeLessThan(full / 2);
  await studio.getByRole("button", { name: "Undo" }).click();
  await poll(() => measure(studio, "Mean delay", 0)).toBe(full);
});

test("doubling the flows raises RED's queue and leaves REM's", async ({ studio }) => {
  await studio.goto(PLAIN);
  await choose(studio, "3. REM: a price instead of a queue");
  await toEnd(studio);
  const before = [await measure(studio, "Mean delay", 0), await measure(studio, "Mean delay", 1)];
  await studio.getByLabel("reno, typed").fill("60");
  await studio.getByLabel("reno, typed").press("Enter");
  await poll(() => measure(studio, "Mean delay", 0)).toBeGreaterThan(1.2 * before[0]!);
  await settled(studio);
  expect((await measure(studio, "Mean delay", 1)) / before[1]!).toBeLessThan(1.4);
});

test("another discipline, a third queue and one parameter", async ({ studio }) => {
  await studio.goto(PLAIN);
  await toEnd(studio);
  const short = await measure(studio, "Mean delay", 1);
  await studio.getByLabel("Queue discipline of B").selectOption({ label: "PIE" });
  await poll(() => measure(studio, "Mean delay", 1)).not.toBe(short);
  await studio.getByLabel("Add a queue to compare").selectOption({ label: "FQ-CoDel" });
  await expect(studio.getByLabel("Queue discipline of C")).toHaveValue("fq-codel");
  await poll(() => measure(studio, "Mean delay", 2)).toBeGreaterThan(0);
  await studio.getByRole("button", { name: "Text" }).click();
  const text = textOf(studio);
  await text.toBe(/queue[\s\S]*pie[\s\S]*\[variants.c\][\s\S]*fq-codel/);
});

test("each kind of control has the effect that theory says", async ({ studio }) => {
  await studio.goto(PLAIN);
  await toEnd(studio);
  const type = async (label: string, value: string): Promise<void> => {
    await studio.getByLabel(label, { exact: true }).fill(value);
    await studio.getByLabel(label, { exact: true }).press("Enter");
    await settled(studio);
  };
  // A longer target is a longer queue; of B, with CoDel.
  const short = await measure(studio, "Mean delay", 1);
  await type("target, typed", "20 ms");
  expect(await measure(studio, "Mean delay", 1)).toBeGreaterThan(1.3 * short);
  // The loss that a rate takes falls with the square of the round trip.
  const loss = await measure(studio, "Loss", 1);
  await type("RTT, typed", "120 ms");
  expect(await measure(studio, "Loss", 1)).toBeLessThan(loss / 2);
  // Marks come in place of drops once both ends agree.
  await studio.getByRole("group", { name: "Flows cubic" }).getByLabel("ECN").check();
  await studio.getByRole("region", { name: "Queue B" }).getByLabel("ecn").check();
  await settled(studio);
  expect(await measure(studio, "Marked", 1)).toBeGreaterThan(0.1);
  expect(await measure(studio, "Loss", 1)).toBeLessThan(loss / 10);
  // BBR does not fill the buffer of A.
  await type("RTT, typed", "40 ms");
  const full = await measure(studio, "Mean delay", 0);
  await studio.getByLabel("Congestion control of cubic").selectOption({ label: "BBR version 1" });
  await settled(studio);
  await expect(studio.getByRole("alert")).toHaveCount(0);
  expect(await measure(studio, "Mean delay", 0)).toBeLessThan(0.8 * full);
});

test("theory is a dotted line, and says why where there is none", async ({ studio }) => {
  await studio.goto(PLAIN);
  await choose(studio, "3. REM: a price instead of a queue");
  await toEnd(studio);
  const plots = studio.locator(".plots");
  await expect(plots.locator(".reading").first()).not.toContainText("theory");
  const before = await plots.screenshot();
  await studio.getByLabel("theory").check();
  await expect(plots.locator(".reading").first()).toContainText("theory");
  await expect(plots.locator(".reading").last()).toContainText("reno, theory");
  await poll(async () => (await plots.screenshot()).equals(before)).toBe(false);
  await expect(plots.getByText("no model")).toHaveCount(0);
  await studio.getByLabel("Queue discipline of B").selectOption({ label: "CoDel" });
  await expect(plots.getByText("no model: CoDel has no resting point")).toBeVisible();
  await studio.getByLabel("theory").uncheck();
  await expect(plots.getByText("no model")).toHaveCount(0);
  await expect(plots.locator(".reading").first()).not.toContainText("theory");
});

test("a scenario without variants is compared with another queue", async ({ studio }) => {
  await studio.goto(PLAIN + "#scenario/step-load");
  await toEnd(studio);
  await studio.getByLabel("Queue discipline of A").selectOption({ label: "RED" });
  await studio.getByLabel("Add a queue to compare").selectOption({ label: "CoDel" });
  await expect(studio.getByRole("alert")).toHaveCount(0);
  await poll(() => measure(studio, "Mean delay", 1)).toBeGreaterThan(0);
  await studio.getByRole("button", { name: "Remove A" }).click();
  await expect(studio.getByLabel("Queue discipline of A")).toHaveValue("codel");
  await expect(studio.getByLabel("Queue discipline of B")).toHaveCount(0);
});

test("broken TOML is said with its line, and the run goes on", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByRole("button", { name: "Text" }).click();
  const text = textOf(studio);
  const good = await text.value();
  await text.fill(good.replace('rate = "20 Mbit/s"', 'rate = "20 Mbit'));
  await expect(studio.getByRole("alert")).toContainText("Line 9");
  await expect(studio.locator(".cm-said")).toContainText("a text ends with a quotation mark in the same line");
  const before = await time(studio);
  await poll(() => time(studio)).toBeGreaterThan(before);
  await text.fill(good.replace('rate = "20 Mbit/s"', 'rate = "10 Mbit/s"'));
  await expect(studio.getByRole("alert")).toHaveCount(0);
  await studio.getByRole("button", { name: "Sliders" }).click();
  await expect(studio.getByLabel("Rate, typed")).toHaveValue("10 Mbit/s");
});

test("a simulator that fails is said, and started again", async ({ studio }) => {
  const { say } = await workers(studio);
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0);
  await say({ kind: "trap", id: 0, message: "unreachable" });
  await expect(studio.getByRole("alert")).toContainText("The simulation of A stopped: unreachable.");
  await studio.getByRole("button", { name: "Start it again" }).click();
  await expect(studio.getByRole("alert")).toHaveCount(0);
  const before = await time(studio);
  await poll(() => time(studio)).toBeGreaterThan(before);
});

test("the verdict over seeds is a sentence with an interval", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByRole("button", { name: "Compare over 10 seeds" }).click();
  await expect(studio.getByText(/Mean delay: B is lower by\s[\d.]+\s±\s[\d.]+\sms/)).toBeVisible();
  // The documentation does not lie beside this copy, and a page writes no report: commands say how to get both.
  await expect(studio.getByText("weir compare studio.toml --report")).toBeVisible();
  await expect(studio.getByText("Equations: weir show codel")).toBeVisible();
});

test("every lesson and every scenario opens and runs", async ({ studio }) => {
  await studio.goto(PLAIN);
  const select = studio.getByLabel("Scenario", { exact: true });
  const options = select.locator("option:not([disabled])");
  // The list comes with the module, which may load after the page.
  await poll(() => options.count()).toBeGreaterThanOrEqual(20);
  const values = await options.evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
  for (const value of values) {
    await select.selectOption(value);
    await expect(studio.getByRole("alert"), value).toHaveCount(0);
    await poll(() => time(studio), { message: value }).toBeGreaterThan(0);
  }
});

for (const scheme of ["light", "dark"] as const) {
  test(`fits a telephone, ${scheme}`, async ({ studio }) => {
    await studio.setViewportSize({ width: 375, height: 700 });
    await studio.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await studio.goto(PLAIN);
    await poll(() => time(studio)).toBe(60);
    expect(await studio.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
    // Out of sight, for want of room, but not for those who listen.
    await expect(studio.getByRole("heading", { level: 1 })).toHaveCount(1);
  });
}
