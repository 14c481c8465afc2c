import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { expect } from "@playwright/test";
import { PLAIN, drawing, frames, held, measure, paused, poll, test, textOf, time, toEnd, workers } from "./page";

test("pauses, steps, plays, and starts anew by keyboard", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0.5);
  const at = await paused(studio);
  await frames(studio, 20);
  expect(await time(studio)).toBe(at);
  await studio.locator("body").press(".");
  await poll(() => time(studio)).toBeGreaterThan(at);
  await studio.locator("body").press("Home");
  await poll(() => time(studio)).toBe(0);
  await studio.locator("body").press(" ");
  await poll(() => time(studio)).toBeGreaterThan(0);
});

test("what moves while it plays is a change on the axis of time: it is dragged, moved by keys, removed, undone", async ({ studio }) => {
  const clock = await held(studio);
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(2);
  await clock.hold();
  await studio.getByLabel("Rate, typed").fill("10 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
  const mark = studio.getByRole("slider", { name: "Change: bottleneck rate 10 Mbit/s" });
  const at = async (): Promise<number> => Number(await mark.getAttribute("aria-valuenow"));
  const first = await at();
  expect(first).toBeGreaterThan(2);
  await clock.release();
  await poll(() => time(studio)).toBeGreaterThan(first + 0.5);
  await clock.hold();
  await studio.getByLabel("Queue discipline of B").selectOption({ label: "PIE" });
  await expect(studio.getByRole("slider", { name: "Change: pie" })).toHaveCount(1);
  await clock.release();
  await toEnd(studio);
  // Twice as long in the queue at half the rate, from the change on.
  expect(await measure(studio, "Mean delay", 0)).toBeGreaterThan(300);
  expect(await measure(studio, "Utilisation", 0)).toBeLessThan(101);
  await expect(studio.getByLabel("Rate, typed")).toHaveValue("10 Mbit/s");
  await mark.press("Shift+ArrowRight");
  await poll(at).toBeGreaterThan(first + 4);
  const box = (await mark.boundingBox())!;
  await studio.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await studio.mouse.down();
  await studio.mouse.move(box.x + 250, box.y + box.height / 2, { steps: 5 });
  await studio.mouse.up();
  await poll(at).toBeGreaterThan(20);
  const dragged = await at();
  await studio.getByRole("button", { name: "Text" }).click();
  await textOf(studio).toBe(new RegExp(`at = "${dragged} s", links.bottleneck.rate = "10 Mbit/s"`));
  await mark.press("Delete");
  await expect(mark).toHaveCount(0);
  await studio.getByRole("button", { name: "Undo" }).click();
  await poll(at).toBe(dragged);
  await mark.hover();
  await studio.getByRole("button", { name: /Remove the change at .*rate/ }).click();
  await expect(mark).toHaveCount(0);
});

test("what is moved while it stands still changes from now on, and numbers, names and figures follow", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(10);
  const at = await paused(studio);
  await studio.getByLabel("Rate, typed").fill("10 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
  const mark = studio.getByRole("slider", { name: "Change: bottleneck rate 10 Mbit/s" });
  await expect(mark).toHaveCount(1);
  expect(Number(await mark.getAttribute("aria-valuenow"))).toBeCloseTo(at, 1);
  await studio.getByLabel("Queue discipline of B").selectOption({ label: "PIE" });
  await toEnd(studio);
  await expect(studio.getByText(/^Since the change at/)).toBeVisible();
  await expect(studio.locator("p.title")).toHaveText(/\(now rate 10 Mbit\/s\)$/);
  await expect(studio.getByRole("columnheader", { name: "B" })).toHaveAttribute("title", "PIE");
  const waiting = studio.waitForEvent("download");
  await studio.getByText("Save", { exact: true }).click();
  await studio.getByRole("button", { name: "SVG" }).click();
  const drawn = readFileSync(await (await waiting).path(), "utf8");
  for (const words of ["now rate 10 Mbit/s", "s: bottleneck rate 10 Mbit/s", "s: pie", "dashed: target"]) expect(drawn).toContain(words);
  // Another value for the whole run begins it anew: no further change on the axis.
  await studio.getByRole("button", { name: "the whole run" }).click();
  await studio.getByLabel("cubic, typed").fill("10");
  await studio.getByLabel("cubic, typed").press("Enter");
  await expect(studio.getByRole("slider", { name: /^Change/ })).toHaveCount(1);
  await expect(studio.locator("p.title")).toHaveText(/now rate 10 Mbit\/s, cubic count 10/);
});

test("goes on where it was when the tab was hidden", async ({ studio }) => {
  const clock = await held(studio);
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0);
  await clock.hide();
  const before = await time(studio);
  const after = await clock.show(600_000);
  // 5 simulated seconds a second. The page does not make up for the time that was missed: a frame stands for 0.1 s at most,
  // and what was written before was up to 0.2 s old.
  expect(after - before).toBeLessThan(5 * (0.2 + 2 * 0.1) + 0.1);
  await poll(() => time(studio)).toBeGreaterThan(after);
});

test("as fast as it goes, it pauses at once, goes on, and takes another scenario", async ({ studio }) => {
  const { messages } = await workers(studio);
  const text = 'schema = 1\nname = "long"\nduration = "5000000 s"\n[links.bottleneck]\nrate = "2 Mbit/s"\ndelay = "10 ms"\nbuffer = "20 packets"\n[flows.cubic]\nrtt = "40 ms"\ntcp.congestion.cubic = {}\n';
  await studio.goto(`${PLAIN}#s=${deflateRawSync(JSON.stringify({ text, shown: [null], speed: null })).toString("base64url")}`);
  await poll(() => time(studio)).toBeGreaterThan(100);
  const at = await paused(studio);
  await frames(studio, 20);
  expect(await time(studio)).toBe(at);
  const earlier = await messages();
  await studio.locator("body").press(" ");
  // More than the 40 answers to one request.
  await poll(messages).toBeGreaterThan(earlier + 60);
  await poll(() => time(studio)).toBeGreaterThan(at);
  const later = await time(studio);
  await poll(() => time(studio)).toBeGreaterThan(later);
  await studio.getByRole("button", { name: "the whole run" }).click();
  await studio.getByLabel("Rate, typed").fill("1 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
  await poll(() => measure(studio, "cubic", 0)).toBeLessThan(1.01);
  expect(await measure(studio, "cubic", 0)).toBeGreaterThan(0.5);
  await studio.locator("body").press("Home");
  await poll(() => time(studio)).toBeGreaterThan(0);
});

test("survives 10,000 flows", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByLabel("cubic, typed").fill("10000");
  await studio.getByLabel("cubic, typed").press("Enter");
  await expect(studio.getByRole("alert")).toHaveCount(0);
  const before = await time(studio);
  await poll(() => time(studio)).toBeGreaterThan(before + 0.01);
  const drawn = await drawing(studio);
  const earlier = await drawn();
  await frames(studio, 60);
  expect((await drawn()) - earlier).toBeLessThan(60 * 0.04);
});

test("the rate and the time that the buffer takes follow a schedule of rates", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0);
  await paused(studio);
  await studio.locator("body").press("Home");
  await studio.getByRole("button", { name: "Text" }).click();
  const text = textOf(studio);
  const written = await text.value();
  await text.fill(written.replace(/^rate = .*$/m, (rate) => `${rate}\nrate_schedule = [{ at = "10 s", rate = "10 Mbit/s" }]`));
  await studio.getByRole("button", { name: "Sliders" }).click();
  const [rate, buffer] = ["Rate", "Buffer"].map((name) => studio.locator(".slider", { has: studio.getByLabel(name, { exact: true }) }));
  const takes = async (): Promise<number> => Number.parseFloat((await buffer!.locator(".note").textContent()) ?? "");
  await expect(rate!.locator(".note")).toHaveCount(0);
  const before = await takes();
  await toEnd(studio);
  await expect(rate!.locator(".note")).toHaveText("now 10 Mbit/s");
  expect((await takes()) / before).toBeCloseTo(2, 1);
});
