/** Time without an end, back and forth, and numbers of a span of it. */
import { readFileSync } from "node:fs";
import { expect, type Locator, type Page } from "@playwright/test";
import { PLAIN, frames, paused, poll, settled, test, time, toEnd } from "./page";

const track = (page: Page): Locator => page.getByRole("slider", { name: "Time, back and forth" });
const table = async (page: Page): Promise<string> => (await page.locator("table.number").innerText()).replaceAll(/\s+/g, " ");

test("a run goes on after the scenario's end, which is a mark, until it is paused", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByLabel("Speed").fill("180");
  await poll(() => time(studio)).toBeGreaterThan(70);
  await studio.getByRole("button", { name: "Pause" }).click();
  await frames(studio, 2);
  const at = await time(studio);
  await expect(studio.locator("footer .tick.end")).toHaveCount(1);
  // A change after it is one, too, and the whole run is as long as it was.
  await studio.getByLabel("Rate, typed").fill("10 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
  const mark = studio.getByRole("slider", { name: "Change: bottleneck rate 10 Mbit/s" });
  expect(Number(await mark.getAttribute("aria-valuenow"))).toBeCloseTo(at, 1);
  await expect(studio.getByRole("alert")).toHaveCount(0);
  await toEnd(studio);
  expect(await time(studio)).toBe(60);
});

test("the time goes back by keyboard and pointer: the numbers are those of then, and what is changed there is a change at that instant", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0);
  await paused(studio);
  await studio.locator("body").press("Home");
  await track(studio).press("PageUp");
  await track(studio).press("PageUp");
  await expect(track(studio)).toHaveAttribute("aria-valuetext", "20.0 s of 60.0 s");
  await settled(studio);
  const then = await table(studio);
  await toEnd(studio);
  expect(await table(studio)).not.toBe(then);
  for (let step = 0; step < 4; step++) await track(studio).press("PageDown");
  await expect(track(studio)).toHaveAttribute("aria-valuetext", "20.0 s of 60.0 s");
  await settled(studio);
  expect(await table(studio)).toBe(then);
  const box = (await track(studio).boundingBox())!;
  await studio.mouse.click(box.x + box.width / 4, box.y + box.height / 2);
  await settled(studio);
  const at = await time(studio);
  expect(at).toBeCloseTo(15, 0);
  await studio.getByLabel("Rate, typed").fill("10 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
  const mark = studio.getByRole("slider", { name: "Change: bottleneck rate 10 Mbit/s" });
  expect(Number(await mark.getAttribute("aria-valuenow"))).toBeCloseTo(at, 1);
  await studio.getByRole("button", { name: "Play", exact: true }).click();
  await poll(() => time(studio)).toBeGreaterThan(at + 1);
});

test("numbers count in a span that a pointer draws or two ends say, from its packets, until Escape", async ({ studio }) => {
  await studio.goto(PLAIN);
  await toEnd(studio);
  const all = await table(studio);
  const plot = (await studio.locator(".u-over").nth(1).boundingBox())!;
  const x = (at: number): number => plot.x + (plot.width * at) / 60;
  await studio.mouse.move(x(12), plot.y + 20);
  await studio.mouse.down();
  await studio.mouse.move(x(15), plot.y + 20);
  await studio.mouse.move(x(18), plot.y + 20);
  await studio.mouse.up();
  await expect(studio.getByText(/^From 1[12]\.\d+ to 1[78]\.\d+ s$/)).toBeVisible();
  await expect(studio.getByText("All packets of this span were counted.", { exact: false })).toBeVisible();
  await settled(studio);
  const drawn = await table(studio);
  expect(drawn).not.toBe(all);
  expect(drawn).not.toContain("–");
  const waiting = studio.waitForEvent("download");
  await studio.getByText("Save", { exact: true }).click();
  await studio.getByRole("button", { name: "CSV" }).click();
  const saved = await waiting;
  expect(saved.suggestedFilename()).toMatch(/^studio from 1[12]\.\d+ to 1[78]\.\d+ s\.csv$/);
  const times = readFileSync(await saved.path(), "utf8").split("\n").slice(1, -1).map((line) => Number(line.split(",")[1]));
  expect([Math.min(...times), Math.max(...times)].map(Math.round)).toEqual([12, 18]);
  await studio.getByRole("slider", { name: "End of the span" }).press("Shift+ArrowRight");
  await expect(studio.getByText(/^From 1[12]\.\d+ to 2[34]\.\d+ s$/)).toBeVisible();
  await studio.locator("body").press("Escape");
  await settled(studio);
  expect(await table(studio)).toBe(all);
  // By keyboard alone.
  await studio.getByRole("button", { name: "span", exact: true }).press("Enter");
  await expect(studio.getByText("From 45.0 to 60.0 s")).toBeVisible();
  await studio.getByRole("button", { name: "Remove the span" }).click();
  await settled(studio);
  expect(await table(studio)).toBe(all);
  // As long as no time has passed there is none.
  await studio.getByRole("button", { name: "From the start" }).click();
  await studio.getByRole("button", { name: "span", exact: true }).press("Enter");
  await frames(studio, 2);
  await expect(studio.getByRole("button", { name: "Remove the span" })).toHaveCount(0);
});
