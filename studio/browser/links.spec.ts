import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deflateRawSync } from "node:zlib";
import { expect } from "@playwright/test";
import { PLAIN, poll, test, textOf, time, toEnd } from "./page";

test("a file is opened", async ({ studio }) => {
  await studio.goto(PLAIN);
  const waiting = studio.waitForEvent("filechooser");
  await studio.getByRole("button", { name: "Open" }).click();
  await (await waiting).setFiles(fileURLToPath(new URL("../../python/weir/templates/isp.toml", import.meta.url)));
  await expect(studio.getByText("Provider's link of 200 Mbit/s", { exact: false }).last()).toBeVisible();
  await expect(studio.getByLabel("Scenario", { exact: true })).toHaveValue("");
});

test("a link holds the scenario", async ({ studio }) => {
  await studio.goto(PLAIN);
  await studio.getByLabel("Rate, typed").fill("33 Mbit/s");
  await studio.getByLabel("Rate, typed").press("Enter");
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
  await textOf(studio).toBe(/5 hours/);
});

test("a link that lost its end says so, and shows nothing in its place", async ({ studio }) => {
  const state = JSON.stringify({ text: "schema = 1", shown: [null], speed: 1 });
  await studio.goto(`${PLAIN}#s=${deflateRawSync(state).toString("base64url").slice(0, -10)}`);
  await expect(studio.getByRole("alert")).toContainText("cannot be opened: it is cut off or changed");
  await expect(studio.getByLabel("Rate, typed")).toHaveCount(0);
});

test("other pages link to a lesson or a discipline", async ({ studio }) => {
  await studio.goto(PLAIN + "#lesson/rem");
  await expect(studio.getByRole("heading", { name: /^Lesson 3 of \d+/ })).toBeVisible();
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
  expect(saved["studio.svg"]).toMatch(/^<svg .*Time in the queue[\s\S]*<\/svg>/);
  expect(saved["studio.png"]!.slice(1, 4)).toBe("PNG");
  expect(saved["studio.csv"]!.split("\n").length).toBeGreaterThan(5000);
  expect(saved["studio.parquet"]).toMatch(/^PAR1[\s\S]*PAR1$/);
  expect(saved["studio.toml"]).toContain("[links.bottleneck]");
});
