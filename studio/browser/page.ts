/** The page in a browser, and how tests wait for it: for what it shows and for its frames, whatever they take. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test as base, type Page } from "@playwright/test";

export const FILE = fileURLToPath(new URL("../dist/index.html", import.meta.url));
export const PLAIN = pathToFileURL(FILE).href;

/** Additions of `held` and `workers` to the page. */
interface Instrumented {
  weirSettled: () => boolean;
  weirClock: Record<"hold" | "release" | "hide", () => void> & { hidden: () => boolean; show: (afterMs: number) => Promise<number> };
  weirWorkers: { worker: Worker; messages: number }[];
}
type Instruments = Window & typeof globalThis & Instrumented;

/** A page that may neither complain nor ask for anything but itself. */
export const test = base.extend<{ studio: Page }>({
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

export async function time(page: Page): Promise<number> {
  return Number.parseFloat((await page.locator("footer .time b").textContent()) ?? "");
}

export async function measure(page: Page, title: string, column: number): Promise<number> {
  const row = page.getByRole("row", { name: title });
  return Number.parseFloat((await row.getByRole("cell").nth(column).textContent()) ?? "");
}

/** The text of the scenario in its editor, which draws only the lines that are seen. */
export interface Text {
  value: () => Promise<string>;
  fill: (text: string) => Promise<void>;
  blur: () => Promise<void>;
  toBe: (text: string | RegExp) => Promise<void>;
}

export function textOf(page: Page): Text {
  const content = page.getByLabel("The scenario as text");
  // The view hangs on the element: EditorView.findFromDOM reads it there.
  const value = (): Promise<string> => content.evaluate((element) => (element as unknown as { cmTile: { view: { state: { doc: { toString: () => string } } } } }).cmTile.view.state.doc.toString());
  return {
    value,
    fill: async (text) => {
      await content.press("ControlOrMeta+a");
      await page.keyboard.insertText(text);
    },
    blur: () => content.blur(),
    toBe: (text) => (typeof text === "string" ? poll(value).toBe(text) : poll(value).toMatch(text)),
  };
}

/** As `expect.poll`, but looked at more often. */
export function poll<T>(what: () => T | Promise<T>, options: { message?: string } = {}): ReturnType<typeof expect.poll<T>> {
  return expect.poll(what, { intervals: [50], ...options });
}

export async function choose(page: Page, label: string): Promise<void> {
  await page.getByLabel("Scenario", { exact: true }).selectOption({ label });
}

/** So many frames of the page, and as many as it takes until `ms` have passed on its clock. */
export async function frames(page: Page, count: number, ms = 0): Promise<void> {
  await page.evaluate(
    ({ count, ms }) =>
      new Promise<void>((done) => {
        const begun = performance.now();
        let left = count;
        const frame = (): void => {
          if (performance.now() - begun > ms) left--;
          if (left < 0) done();
          else requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }),
    { count, ms },
  );
}

/** The whole run, at once. */
export async function toEnd(page: Page): Promise<void> {
  await page.getByRole("button", { name: "To the end" }).click();
  await settled(page);
}

/** Every run has come to its end, and the numbers, which are written five times a second, say so. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => (window as Instruments).weirSettled());
  await frames(page, 2, 250);
}

/** Pauses by keyboard; the time at which the page stands still, which its next frame writes. */
export async function paused(page: Page): Promise<number> {
  await page.locator("body").press(" ");
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await frames(page, 2);
  return time(page);
}

/** The page's clock, which the test holds while it acts, or sets forward as if the tab had been hidden. */
export interface Clock {
  hold: () => Promise<void>;
  release: () => Promise<void>;
  /** No frames come until `show`: a hidden tab gets none. */
  hide: () => Promise<void>;
  /** Frames come again, so much later; the time that the page shows at the second one. */
  show: (afterMs: number) => Promise<number>;
}

/** Puts the clock of the page that is opened next into the hands of the test. */
export async function held(page: Page): Promise<Clock> {
  await page.addInitScript(() => {
    const now = performance.now.bind(performance);
    const plain = window.requestAnimationFrame.bind(window);
    const waiting: FrameRequestCallback[] = [];
    let stopped: number | undefined;
    let ahead = 0;
    let hidden = false;
    const request = (frame: FrameRequestCallback): number => plain((time) => frame(stopped ?? time + ahead));
    performance.now = () => stopped ?? now() + ahead;
    window.requestAnimationFrame = (frame) => (hidden ? waiting.push(frame) : request(frame));
    (window as Instruments).weirClock = {
      hold: () => (stopped = performance.now()),
      release: () => {
        ahead = (stopped ?? performance.now()) - now();
        stopped = undefined;
      },
      hide: () => (hidden = true),
      hidden: () => waiting.length > 0,
      show: (afterMs) => {
        ahead += afterMs;
        hidden = false;
        waiting.splice(0).forEach(request);
        return new Promise((done) => request(() => request(() => done(parseFloat(document.querySelector("footer .time b")!.textContent)))));
      },
    };
  });
  return {
    hold: () => page.evaluate(() => (window as Instruments).weirClock.hold()),
    release: () => page.evaluate(() => (window as Instruments).weirClock.release()),
    hide: async () => {
      await page.evaluate(() => (window as Instruments).weirClock.hide());
      await page.waitForFunction(() => (window as Instruments).weirClock.hidden(), undefined, { polling: 20 });
    },
    show: (afterMs) => page.evaluate((ms) => (window as Instruments).weirClock.show(ms), afterMs),
  };
}

/** The workers of the page that is opened next. */
export interface Workers {
  /** Messages of the first one so far. */
  messages: () => Promise<number>;
  /** A message as if it were of the first one. */
  say: (data: unknown) => Promise<void>;
}

export async function workers(page: Page): Promise<Workers> {
  await page.addInitScript(() => {
    const Plain = Worker;
    const all: Instrumented["weirWorkers"] = [];
    Object.assign(window, {
      weirWorkers: all,
      Worker: class extends Plain {
        constructor(...of: ConstructorParameters<typeof Worker>) {
          super(...of);
          const one = { worker: this as Worker, messages: 0 };
          this.addEventListener("message", () => one.messages++);
          all.push(one);
        }
      },
    });
  });
  return {
    messages: () => page.evaluate(() => (window as Instruments).weirWorkers[0]!.messages),
    say: (data) => page.evaluate((told) => void (window as Instruments).weirWorkers[0]!.worker.onmessage!(new MessageEvent("message", { data: told })), data),
  };
}

/** CPU time (s) of the thread that draws the page, whatever else the machine does. */
export async function drawing(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")!.value;
  };
}
