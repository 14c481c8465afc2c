import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test as base, type Page } from "@playwright/test";

const FILE = fileURLToPath(new URL("../dist/index.html", import.meta.url));
const PLAIN = pathToFileURL(FILE).href;

/** A page that may neither complain nor ask for anything but itself. */
const test = base.extend<{ studio: Page }>({
  studio: async ({ page }, use) => {
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (request) => !/^(blob|data):/.test(request.url()) && requests.push(request.url().replace(/#.*/, "")));
    await use(page);
    expect(complaints).toEqual([]);
    expect(new Set(requests).size).toBeLessThanOrEqual(1);
  },
});

async function time(page: Page): Promise<number> {
  return Number.parseFloat((await page.locator("footer .time b").textContent()) ?? "");
}
async function measure(page: Page, title: string, column: number): Promise<number> {
  const row = page.getByRole("row", { name: title });
  return Number.parseFloat((await row.getByRole("cell").nth(column).textContent()) ?? "");
}
/** The whole run, at once. */
async function toEnd(page: Page): Promise<void> {
  await page.getByRole("button", { name: "To the end" }).click();
  await expect.poll(() => ended(page), { timeout: 20_000 }).toBe(true);
}
/** Whether nothing moves any more: the same numbers twice. */
async function ended(page: Page): Promise<boolean> {
  const numbers = (): Promise<string> => page.locator(".right table").innerText();
  const before = await numbers();
  await page.waitForTimeout(450);
  // Jain's index needs flows that last.
  return before === (await numbers()) && (await time(page)) > 0 && !before.replace(/Jain.*/, "").includes("–");
}
async function choose(page: Page, label: string): Promise<void> {
  await page.getByLabel("Scenario", { exact: true }).selectOption({ label });
}

test("opens from a file, and packets move within two seconds", async ({ studio }) => {
  await studio.goto(PLAIN);
  await expect.poll(() => time(studio), { timeout: 2000 }).toBeGreaterThan(0);
  const before = await studio.locator(".plots").screenshot();
  await studio.waitForTimeout(300);
  expect((await studio.locator(".plots").screenshot()).equals(before)).toBe(false);
});

test("opens from a server that knows nothing of it", async ({ studio }) => {
  const server: Server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(readFileSync(FILE)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await studio.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await expect.poll(() => time(studio), { timeout: 3000 }).toBeGreaterThan(0);
  server.close();
});

test("pauses, steps, plays, and starts anew by keyboard", async ({ studio }) => {
  await studio.goto(PLAIN);
  await expect.poll(() => time(studio)).toBeGreaterThan(0.5);
  await studio.locator("body").press(" ");
  const paused = await time(studio);
  await studio.waitForTimeout(200);
  expect(await time(studio)).toBe(paused);
  await studio.locator("body").press(".");
  await expect.poll(() => time(studio)).toBeGreaterThan(paused);
  await studio.locator("body").press("Home");
  await expect.poll(() => time(studio)).toBe(0);
  await studio.locator("body").press(" ");
  await expect.poll(() => time(studio)).toBeGreaterThan(0);
});

test("a slider changes what is run, and undo brings it back", async ({ studio }) => {
  await studio.goto(PLAIN);
  await toEnd(studio);
  const [full, short] = [await measure(studio, "Mean delay", 0), await measure(studio, "Mean delay", 1)];
  expect(full).toBeGreaterThan(10 * short);
  const buffer = studio.getByRole("slider", { name: "Buffer" });
  await buffer.focus();
  for (let step = 0; step < 20; step++) await buffer.press("ArrowLeft");
  await expect(studio.getByLabel("Buffer, typed")).toHaveValue(/^1\d\d packets$/);
  await expect.poll(() => measure(studio, "Mean delay", 0)).toBeLessThan(full / 2);
  await studio.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => measure(studio, "Mean delay", 0)).toBe(full);
});

test("doubling the flows raises RED's queue and leaves REM's", async ({ studio }) => {
  await studio.goto(PLAIN);
  await choose(studio, "3. REM: a price instead of a queue");
  await toEnd(studio);
  const before = [await measure(studio, "Mean delay", 0), await measure(studio, "Mean delay", 1)];
  await studio.getByLabel("reno, typed").fill("60");
  await studio.getByLabel("reno, typed").press("Enter");
  await expect.poll(() => measure(studio, "Mean delay", 0)).toBeGreaterThan(1.2 * before[0]!);
  await expect.poll(() => ended(studio)).toBe(true);
  expect((await measure(studio, "Mean delay", 1)) / before[1]!).toBeLessThan(1.4);
});

test("another discipline, a third queue and one parameter", async ({ studio }) => {
  await studio.goto(PLAIN);
  await toEnd(studio);
  const short = await measure(studio, "Mean delay", 1);
  await studio.getByLabel("Queue discipline of B").selectOption({ label: "PIE" });
  await expect.poll(() => measure(studio, "Mean delay", 1)).not.toBe(short);
  await studio.getByLabel("Add a queue to compare").selectOption({ label: "fq-codel" });
  await expect(studio.getByLabel("Queue discipline of C")).toHaveValue("fq-codel");
  await expect.poll(() => measure(studio, "Mean delay", 2)).toBeGreaterThan(0);
  await studio.getByRole("button", { name: "Text" }).click();
  const text = studio.getByLabel("The scenario as text");
  await expect(text).toHaveValue(/queue[\s\S]*pie[\s\S]*\[variants.c\][\s\S]*fq-codel/);
});

test("a scenario without variants is compared with another queue", async ({ studio }) => {
  await studio.goto(PLAIN + "#scenario/step-load");
  await toEnd(studio);
  await studio.getByLabel("Queue discipline of A").selectOption({ label: "RED" });
  await studio.getByLabel("Add a queue to compare").selectOption({ label: "codel" });
  await expect(studio.getByRole("alert")).toHaveCount(0);
  await expect.poll(() => measure(studio, "Mean delay", 1)).toBeGreaterThan(0);
  await studio.getByRole("button", { name: "Remove A" }).click();
  await expect(studio.getByLabel("Queue discipline of A")).toHaveValue("codel");
  await expect(studio.getByLabel("Queue discipline of B")).toHaveCount(0);
});

test("what moves while it plays is a change on the axis of time: it is dragged, moved by keys, removed, undone", async ({ studio }) => {
  await studio.goto(PLAIN);
  await expect.poll(() => time(studio)).toBeGreaterThan(2);
  await studio.getByLabel("Rate, typed").fill("10 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
  const mark = studio.getByRole("slider", { name: "Change: bottleneck rate 10 Mbit/s" });
  const at = async (): Promise<number> => Number(await mark.getAttribute("aria-valuenow"));
  const first = await at();
  expect(first).toBeGreaterThan(2);
  await expect.poll(() => time(studio)).toBeGreaterThan(first + 0.5);
  await studio.getByLabel("Queue discipline of B").selectOption({ label: "PIE" });
  await expect(studio.getByRole("slider", { name: "Change: pie" })).toHaveCount(1);
  await toEnd(studio);
  // Twice as long in the queue at half the rate, from the change on.
  expect(await measure(studio, "Mean delay", 0)).toBeGreaterThan(300);
  expect(await measure(studio, "Utilisation", 0)).toBeLessThan(101);
  await expect(studio.getByLabel("Rate, typed")).toHaveValue("10 Mbit/s");
  await mark.press("Shift+ArrowRight");
  await expect.poll(at).toBeGreaterThan(first + 4);
  const box = (await mark.boundingBox())!;
  await studio.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await studio.mouse.down();
  await studio.mouse.move(box.x + 250, box.y + box.height / 2, { steps: 5 });
  await studio.mouse.up();
  await expect.poll(at).toBeGreaterThan(20);
  const dragged = await at();
  await studio.getByRole("button", { name: "Text" }).click();
  await expect(studio.getByLabel("The scenario as text")).toHaveValue(new RegExp(`at = "${dragged} s", links.bottleneck.rate = "10 Mbit/s"`));
  await mark.press("Delete");
  await expect(mark).toHaveCount(0);
  await studio.getByRole("button", { name: "Undo" }).click();
  await expect.poll(at).toBe(dragged);
  await mark.hover();
  await studio.getByRole("button", { name: /Remove the change at .*rate/ }).click();
  await expect(mark).toHaveCount(0);
});

test("a file is opened", async ({ studio }) => {
  await studio.goto(PLAIN);
  const waiting = studio.waitForEvent("filechooser");
  await studio.getByRole("button", { name: "Open" }).click();
  await (await waiting).setFiles(fileURLToPath(new URL("../../python/weir/templates/isp.toml", import.meta.url)));
  await expect(studio.getByText("Provider's link of 200 Mbit/s", { exact: false }).last()).toBeVisible();
  await expect(studio.getByLabel("Scenario", { exact: true })).toHaveValue("");
});

test("broken TOML is said with its line, and the run goes on", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByRole("button", { name: "Text" }).click();
  const text = studio.getByLabel("The scenario as text");
  const good = await text.inputValue();
  await text.fill(good.replace('rate = "20 Mbit/s"', 'rate = "20 Mbit'));
  await expect(studio.getByRole("alert")).toContainText("Line 9");
  const before = await time(studio);
  await expect.poll(() => time(studio)).toBeGreaterThan(before);
  await text.fill(good.replace('rate = "20 Mbit/s"', 'rate = "10 Mbit/s"'));
  await expect(studio.getByRole("alert")).toHaveCount(0);
  await studio.getByRole("button", { name: "Sliders" }).click();
  await expect(studio.getByLabel("Rate, typed")).toHaveValue("10 Mbit/s");
});

test("a simulator that fails is said, and started again", async ({ studio }) => {
  await studio.addInitScript(() => {
    const workers: Worker[] = [];
    const Plain = Worker;
    Object.assign(window, {
      workers,
      Worker: class extends Plain {
        constructor(...all: ConstructorParameters<typeof Worker>) {
          super(...all);
          workers.push(this);
        }
      },
    });
  });
  await studio.goto(PLAIN);
  await expect.poll(() => time(studio)).toBeGreaterThan(0);
  await studio.evaluate(() => {
    const worker = (window as unknown as { workers: Worker[] }).workers[0]!;
    worker.onmessage!(new MessageEvent("message", { data: { kind: "trap", id: 0, message: "unreachable" } }));
  });
  await expect(studio.getByRole("alert")).toContainText("The simulation of A stopped: unreachable.");
  await studio.getByRole("button", { name: "Start it again" }).click();
  await expect(studio.getByRole("alert")).toHaveCount(0);
  const before = await time(studio);
  await expect.poll(() => time(studio)).toBeGreaterThan(before);
});

test("survives 10,000 flows", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByLabel("cubic, typed").fill("10000");
  await studio.getByLabel("cubic, typed").press("Enter");
  await expect(studio.getByRole("alert")).toHaveCount(0);
  await studio.waitForTimeout(1500);
  const before = await time(studio);
  await expect.poll(() => time(studio)).toBeGreaterThan(before);
  const frames = await studio.evaluate(() => (window as unknown as { weirFrames: number[] }).weirFrames.slice(-60).sort((a, b) => a - b));
  expect(frames[Math.floor(frames.length / 2)]).toBeLessThan(40);
});

test("a link holds the scenario", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByLabel("Rate, typed").fill("33 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
  await studio.getByRole("button", { name: "Share" }).click();
  await expect.poll(() => studio.url()).toContain("#s=");
  const link = studio.url();
  await studio.goto("about:blank");
  await studio.goto(link);
  await expect(studio.getByLabel("Rate, typed")).toHaveValue("33 Mbit/s");
});

test("other pages link to a lesson or a discipline", async ({ studio }) => {
  await studio.goto(PLAIN + "#lesson/rem");
  await expect(studio.getByRole("heading", { name: "Lesson 3 of 10" })).toBeVisible();
  await studio.goto("about:blank");
  await studio.goto(PLAIN + "#queue/pie");
  await expect(studio.getByLabel("Queue discipline of B")).toHaveValue("pie");
});

test("other pages hold it in a compact form", async ({ studio }) => {
  await studio.setViewportSize({ width: 700, height: 700 });
  await studio.goto(PLAIN + "?compact&theme=dark#queue/adaptive-red");
  await expect.poll(() => time(studio)).toBeGreaterThan(0);
  await expect(studio.getByText("DropTail beside Adaptive RED")).toBeVisible();
  await expect(studio.getByRole("table")).toHaveCount(0);
  await expect(studio.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(studio.getByTitle("Default: 0.1 (ns-2; the paper gives none). Recommended: 0.01 to 0.5 (Floyd, Gummadi and Shenker, 2001).")).toBeVisible();
});

test("figure and data are saved", async ({ studio }) => {
  await studio.goto(PLAIN);
  await toEnd(studio);
  const saved: Record<string, string> = {};
  for (const kind of ["SVG", "PNG", "CSV", "Parquet", "TOML"]) {
    await studio.getByText("Save", { exact: true }).click();
    const waiting = studio.waitForEvent("download");
    await studio.getByRole("button", { name: kind }).click();
    const download = await waiting;
    saved[download.suggestedFilename()] = readFileSync((await download.path()), "latin1");
  }
  expect(saved["studio.svg"]).toMatch(/^<svg .*Sojourn time[\s\S]*<\/svg>/);
  expect(saved["studio.png"]!.slice(1, 4)).toBe("PNG");
  expect(saved["studio.csv"]!.split("\n").length).toBeGreaterThan(5000);
  expect(saved["studio.parquet"]).toMatch(/^PAR1[\s\S]*PAR1$/);
  expect(saved["studio.toml"]).toContain("[links.bottleneck]");
});

test("the verdict over seeds is a sentence with an interval", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByRole("button", { name: "Compare over 10 seeds" }).click();
  await expect(studio.getByText(/Mean delay: B is lower by\s[\d.]+\s±\s[\d.]+\sms/)).toBeVisible({ timeout: 15_000 });
});

test("every lesson and every scenario opens and runs", async ({ studio }) => {
  await studio.goto(PLAIN);
  const select = studio.getByLabel("Scenario", { exact: true });
  const values = await select.locator("option:not([disabled])").evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
  expect(values.length).toBeGreaterThanOrEqual(20);
  for (const value of values) {
    await select.selectOption(value);
    await expect(studio.getByRole("alert"), value).toHaveCount(0);
    await expect.poll(() => time(studio), { message: value }).toBeGreaterThan(0);
  }
});

for (const scheme of ["light", "dark"] as const) {
  test(`fits a telephone, ${scheme}`, async ({ studio }) => {
    await studio.setViewportSize({ width: 375, height: 700 });
    await studio.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
    await studio.goto(PLAIN);
    await expect.poll(() => time(studio)).toBe(60);
    expect(await studio.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(375);
  });
}
