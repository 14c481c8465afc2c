/** Whatever is pressed, and however fast: the page goes on, and shows the numbers of the scenario that it names. */
import { expect, type Page } from "@playwright/test";
import { HANG_MS } from "../tests/hang";
import { PLAIN, settled, test } from "./page";

/** Tries, each of a few controls; `make soak` has more. */
const TRIES = Number(process.env.WEIR_TRIES ?? 50);
/** Longest pause between two controls (ms). */
const PAUSE = 400;
/** A plot that cannot be measured within this time has gone (ms). */
const GONE = 1000;

type Random = () => number;

/** Park and Miller's generator: the same controls at the same delays for a seed. */
function generator(seed: number): Random {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

/** Each may be pressed at any time. */
const CONTROLS: ((page: Page, random: Random) => Promise<void>)[] = [
  async (page, random) => {
    const rate = page.getByLabel("Rate, typed");
    await rate.fill(`${5 + Math.floor(45 * random())} Mbit/s`);
    await rate.press("Enter");
  },
  async (page, random) => {
    const slider = page.getByRole("slider", { name: "Buffer", exact: true });
    for (let step = 0; step < 4; step++) await slider.press(random() < 0.5 ? "ArrowLeft" : "ArrowRight");
  },
  async (page) => page.getByRole("button", { name: "From the start" }).click(),
  async (page) => page.getByRole("button", { name: /^(Play|Pause)$/ }).click(),
  async (page) => page.getByRole("button", { name: "One step" }).click(),
  async (page) => page.getByRole("button", { name: "To the end" }).click(),
  async (page, random) => {
    await page.getByLabel("Scenario", { exact: true }).selectOption({ index: 1 + Math.floor(6 * random()) });
  },
  async (page, random) => {
    const queue = ["red", "codel", "pie", "fq-codel", "drop-tail"][Math.floor(5 * random())]!;
    await page.getByLabel("Queue discipline of B").selectOption(queue);
  },
  async (page, random) => page.getByLabel("Speed").fill(String(100 + Math.floor(102 * random()))),
  async (page, random) => {
    const time = page.getByRole("slider", { name: "Time, back and forth" });
    for (let step = 0; step < 3; step++) await time.press(["ArrowLeft", "PageDown", "PageUp", "Home", "End"][Math.floor(5 * random())]!);
  },
  async (page) => page.getByRole("button", { name: "span", exact: true }).click(),
  async (page, random) => {
    const [which, from, to] = [random(), random(), random()];
    const plots = await page.locator(".u-over").all();
    // While another scenario is loaded, a plot may be gone before it is measured.
    const plot = await plots[Math.floor(plots.length * which)]?.boundingBox({ timeout: GONE }).catch(() => null);
    if (!plot) return;
    await page.mouse.move(plot.x + from * plot.width, plot.y + plot.height / 2);
    await page.mouse.down();
    await page.mouse.move(plot.x + to * plot.width, plot.y + plot.height / 2, { steps: 3 });
    await page.mouse.up();
  },
  async (page) => {
    const undo = page.getByRole("button", { name: "Undo" });
    if (await undo.isEnabled()) await undo.click();
  },
];

async function numbers(page: Page): Promise<string> {
  await page.getByRole("button", { name: "To the end" }).click();
  await settled(page);
  return (await page.locator("table.number").allInnerTexts()).join();
}

test("random controls at random delays neither stop the page nor mix two scenarios", async ({ studio }) => {
  test.setTimeout(HANG_MS * Math.ceil(TRIES / 50));
  await studio.goto(PLAIN);
  for (let seed = 1; seed <= TRIES; seed++) {
    const random = generator(seed);
    const count = 2 + Math.floor(3 * random());
    for (let step = 0; step < count; step++) {
      await CONTROLS[Math.floor(CONTROLS.length * random())]!(studio, random);
      await studio.waitForTimeout(random() * PAUSE);
    }
    const found = await numbers(studio);
    await studio.getByRole("button", { name: "From the start" }).click();
    expect(await numbers(studio), `seed ${seed}`).toBe(found);
  }
});
