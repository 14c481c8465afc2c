import type { Locator } from "@playwright/test";
import { expect } from "@playwright/test";
import { PLAIN, frames, poll, test, time } from "./page";

/** Where a part of the page ends, and where the buttons of time begin that lie over it (px). */
async function ends(part: Locator): Promise<[end: number, over: number]> {
  const [box, footer] = [await part.boundingBox(), await part.page().locator("footer").boundingBox()];
  return [box!.y + box!.height, footer!.y];
}

for (const [width, height] of [[1024, 768], [1280, 800]] as const) {
  test(`pipe, plot and numbers are seen at once at ${width}×${height}, in large type too`, async ({ studio }) => {
    await studio.setViewportSize({ width, height });
    await studio.goto(PLAIN);
    await poll(() => time(studio)).toBeGreaterThan(0);
    const size = (): Promise<number> => studio.getByRole("rowheader", { name: "Mean delay" }).evaluate((cell) => parseFloat(getComputedStyle(cell).fontSize));
    const usual = await size();
    for (const large of [false, true]) {
      if (large) await studio.getByRole("button", { name: "Large type" }).click();
      await frames(studio, 2, 300);
      for (const part of [studio.locator(".pipe"), studio.locator(".u-over").first(), studio.getByRole("table").first()]) {
        const [end, over] = await ends(part);
        expect(end).toBeLessThanOrEqual(over);
      }
      expect(await studio.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    }
    expect(await size()).toBeGreaterThan(1.09 * usual);
  });
}

test("on a telephone the pipe and one plot stay while the sliders are scrolled", async ({ studio }) => {
  await studio.setViewportSize({ width: 390, height: 844 });
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0);
  await studio.getByLabel("mtu, typed").first().scrollIntoViewIfNeeded();
  const [pipe, slider] = [await studio.locator(".pipe").boundingBox(), await studio.getByLabel("mtu, typed").first().boundingBox()];
  const [end, over] = await ends(studio.locator(".u-over").first());
  expect(pipe!.y).toBeGreaterThanOrEqual(0);
  expect(end).toBeLessThan(slider!.y);
  expect(slider!.y + slider!.height).toBeLessThanOrEqual(over);
});
