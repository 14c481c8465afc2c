import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath, pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
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
  await settled(page);
}
/** Every run has come to its end, and the numbers, five times a second, say so. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => (window as unknown as { weirSettled: () => boolean }).weirSettled(), undefined, { timeout: 20_000 });
  await page.waitForTimeout(250);
}
/** As `expect.poll`, but looked at more often. */
function poll<T>(what: () => T | Promise<T>, options: { timeout?: number; message?: string } = {}): ReturnType<typeof expect.poll<T>> {
  return expect.poll(what, { intervals: [50], ...options });
}
async function choose(page: Page, label: string): Promise<void> {
  await page.getByLabel("Scenario", { exact: true }).selectOption({ label });
}

test("opens from a file, and packets move within two seconds", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio), { timeout: 2000 }).toBeGreaterThan(0);
  const before = await studio.locator(".plots").screenshot();
  await studio.waitForTimeout(300);
  expect((await studio.locator(".plots").screenshot()).equals(before)).toBe(false);
});

test("opens from a server that knows nothing of it", async ({ studio }) => {
  const server: Server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(readFileSync(FILE)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await studio.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await poll(() => time(studio), { timeout: 3000 }).toBeGreaterThan(0);
  server.close();
});

test("pauses, steps, plays, and starts anew by keyboard", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0.5);
  await studio.locator("body").press(" ");
  const paused = await time(studio);
  await studio.waitForTimeout(200);
  expect(await time(studio)).toBe(paused);
  await studio.locator("body").press(".");
  await poll(() => time(studio)).toBeGreaterThan(paused);
  await studio.locator("body").press("Home");
  await poll(() => time(studio)).toBe(0);
  await studio.locator("body").press(" ");
  await poll(() => time(studio)).toBeGreaterThan(0);
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
  const text = studio.getByLabel("The scenario as text");
  await expect(text).toHaveValue(/queue[\s\S]*pie[\s\S]*\[variants.c\][\s\S]*fq-codel/);
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
  expect(await measure(studio, "Marks", 1)).toBeGreaterThan(0.1);
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
  expect((await plots.screenshot()).equals(before)).toBe(false);
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

test("what moves while it plays is a change on the axis of time: it is dragged, moved by keys, removed, undone", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(2);
  await studio.getByLabel("Rate, typed").fill("10 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
  const mark = studio.getByRole("slider", { name: "Change: bottleneck rate 10 Mbit/s" });
  const at = async (): Promise<number> => Number(await mark.getAttribute("aria-valuenow"));
  const first = await at();
  expect(first).toBeGreaterThan(2);
  await poll(() => time(studio)).toBeGreaterThan(first + 0.5);
  await studio.getByLabel("Queue discipline of B").selectOption({ label: "PIE" });
  await expect(studio.getByRole("slider", { name: "Change: pie" })).toHaveCount(1);
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
  await expect(studio.getByLabel("The scenario as text")).toHaveValue(new RegExp(`at = "${dragged} s", links.bottleneck.rate = "10 Mbit/s"`));
  await mark.press("Delete");
  await expect(mark).toHaveCount(0);
  await studio.getByRole("button", { name: "Undo" }).click();
  await poll(at).toBe(dragged);
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
  await poll(() => time(studio)).toBeGreaterThan(before);
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
  await poll(() => time(studio)).toBeGreaterThan(0);
  await studio.evaluate(() => {
    const worker = (window as unknown as { workers: Worker[] }).workers[0]!;
    worker.onmessage!(new MessageEvent("message", { data: { kind: "trap", id: 0, message: "unreachable" } }));
  });
  await expect(studio.getByRole("alert")).toContainText("The simulation of A stopped: unreachable.");
  await studio.getByRole("button", { name: "Start it again" }).click();
  await expect(studio.getByRole("alert")).toHaveCount(0);
  const before = await time(studio);
  await poll(() => time(studio)).toBeGreaterThan(before);
});

test("survives 10,000 flows", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByLabel("cubic, typed").fill("10000");
  await studio.getByLabel("cubic, typed").press("Enter");
  await expect(studio.getByRole("alert")).toHaveCount(0);
  const before = await time(studio);
  await poll(() => time(studio), { timeout: 10_000 }).toBeGreaterThan(before + 0.01);
  await studio.waitForTimeout(700);
  const frames = await studio.evaluate(() => (window as unknown as { weirFrames: number[] }).weirFrames.slice(-60).sort((a, b) => a - b));
  expect(frames[Math.floor(frames.length / 2)]).toBeLessThan(40);
});

test("goes on where it was when the tab was hidden", async ({ studio }) => {
  // A hidden tab gets no frames.
  await studio.addInitScript(() => {
    const plain = window.requestAnimationFrame.bind(window);
    const held: FrameRequestCallback[] = [];
    Object.assign(window, {
      requestAnimationFrame: (frame: FrameRequestCallback) => ((window as unknown as { hide?: boolean }).hide ? held.push(frame) : plain(frame)),
      back: () => {
        Object.assign(window, { hide: false });
        held.splice(0).forEach((frame) => plain(frame));
      },
    });
  });
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0);
  await studio.evaluate(() => void Object.assign(window, { hide: true }));
  await studio.waitForTimeout(50);
  const before = await time(studio);
  await studio.waitForTimeout(600);
  expect(await time(studio)).toBe(before);
  const after = await studio.evaluate(() => {
    (window as unknown as { back: () => void }).back();
    return new Promise<number>((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(parseFloat(document.querySelector("footer .time b")!.textContent)))));
  });
  // 5 simulated seconds a second, and the page does not make up for the time that was missed.
  expect(after - before).toBeLessThan(1.6);
  await poll(() => time(studio)).toBeGreaterThan(after);
});

test("as fast as it goes, it pauses at once, goes on, and takes another scenario", async ({ studio }) => {
  const text = 'schema = 1\nname = "long"\nduration = "10000000 s"\n[links.bottleneck]\nrate = "2 Mbit/s"\ndelay = "10 ms"\nbuffer = "20 packets"\n[flows.cubic]\nrtt = "40 ms"\ntcp.congestion.cubic = {}\n';
  await studio.goto(`${PLAIN}#s=${deflateRawSync(JSON.stringify({ text, shown: [null], speed: null })).toString("base64url")}`);
  await poll(() => time(studio)).toBeGreaterThan(100);
  await studio.locator("body").press(" ");
  const paused = await time(studio);
  await studio.waitForTimeout(300);
  expect(await time(studio)).toBe(paused);
  await studio.locator("body").press(" ");
  // Longer than the answers to one request take.
  await studio.waitForTimeout(1500);
  const later = await time(studio);
  expect(later).toBeGreaterThan(paused);
  await poll(() => time(studio)).toBeGreaterThan(later);
  await studio.getByLabel("changes from now on").uncheck();
  await studio.getByLabel("Rate, typed").fill("1 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
  await poll(() => measure(studio, "cubic", 0)).toBeLessThan(1.01);
  expect(await measure(studio, "cubic", 0)).toBeGreaterThan(0.5);
  await studio.locator("body").press("Home");
  await poll(() => time(studio)).toBeGreaterThan(0);
});

test("a link holds the scenario", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByLabel("Rate, typed").fill("33 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
  await studio.getByRole("button", { name: "Share" }).click();
  await poll(() => studio.url()).toContain("#s=");
  const link = studio.url();
  await studio.goto("about:blank");
  await studio.goto(link);
  await expect(studio.getByLabel("Rate, typed")).toHaveValue("33 Mbit/s");
});

test("a link with a mistake says what is wrong", async ({ studio }) => {
  const state = JSON.stringify({ text: 'schema = 1\nname = "x"\nduration = "5 hours"\n', shown: [null], speed: 1 });
  await studio.goto(`${PLAIN}#s=${deflateRawSync(state).toString("base64url")}`);
  await expect(studio.getByRole("alert")).toContainText("Line 3");
  await studio.getByRole("button", { name: "Text" }).click();
  await expect(studio.getByLabel("The scenario as text")).toHaveValue(/5 hours/);
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
  await poll(() => time(studio)).toBeGreaterThan(0);
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
  const options = select.locator("option:not([disabled])");
  // The list comes with the module, which may load after the page.
  await expect.poll(async () => options.count()).toBeGreaterThanOrEqual(20);
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
  });
}
