/** Lessons: predicted, moved, measured, explained. */
import { deflateRawSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { expect } from "@playwright/test";
import { PLAIN, poll, test, time } from "./page";

const BUFFERBLOAT = readFileSync(new URL("../../python/weir/lessons/bufferbloat.md", import.meta.url), "utf8");

test("a lesson is predicted, the control that glows is moved, the simulation answers, and the reason follows", async ({ studio }) => {
  await studio.emulateMedia({ reducedMotion: "reduce" });
  await studio.goto(PLAIN + "#lesson/bufferbloat");
  const lesson = studio.getByRole("article", { name: "Lesson" });
  const give = lesson.getByRole("button", { name: "This is my answer" });
  await expect(give).toBeDisabled();
  await expect(studio.locator(".glows")).toHaveCount(0);
  await lesson.getByLabel("It falls, but to more than half.").check();
  await give.click();
  await expect(lesson).toContainText("Now move the control that glows, to 100 packets.");
  await expect(studio.locator(".glows")).toContainText("Buffer");
  // Another value is not what is asked.
  const buffer = studio.getByLabel("Buffer, typed");
  await buffer.fill("200 packets");
  await buffer.press("Enter");
  await expect(studio.locator(".glows")).toHaveCount(1);
  await buffer.fill("100");
  await buffer.press("Enter");
  await expect(studio.locator(".glows")).toHaveCount(0);
  await lesson.getByRole("button", { name: "Measure" }).click();
  await expect(lesson).toContainText(/Not so: It falls to a third or less\. Mean delay in A ÷ mean delay in A before: 0\.\d+\s±\s0\.\d+ over 5 runs\./);
  await expect(lesson).toContainText("CoDel does not wait until the buffer is full");
  await expect(lesson).toContainText(/With the smaller buffer the link is as busy as before\. \(Utilisation in A − utilisation in A before: -?\d/);
  await lesson.getByRole("button", { name: "Start anew" }).click();
  await expect(give).toBeDisabled();
  await expect(lesson).not.toContainText("Not so");
});

test("a lesson without a move is measured as it stands", async ({ studio }) => {
  await studio.emulateMedia({ reducedMotion: "reduce" });
  await studio.goto(PLAIN + "#lesson/my-line");
  const lesson = studio.getByRole("article", { name: "Lesson" });
  await lesson.getByLabel("More than 30 ms longer.").check();
  await lesson.getByRole("button", { name: "This is my answer" }).click();
  await lesson.getByRole("button", { name: "Measure" }).click();
  await expect(lesson).toContainText(/You are right\. Mean delay in A − mean delay in B: 9\d\.\d\s±\s[\d.]+\sms over 5 runs/);
});

test("a lesson of one's own opens as a file, and travels in a link", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0);
  const chooser = studio.waitForEvent("filechooser");
  await studio.getByRole("button", { name: "Open" }).click();
  await (await chooser).setFiles({ name: "mine.md", mimeType: "text/markdown", buffer: Buffer.from(BUFFERBLOAT.replace("# Bufferbloat", "# Mein Puffer")) });
  await expect(studio.getByRole("heading", { name: "Lesson: Mein Puffer" })).toBeVisible();
  await poll(() => new URL(studio.url()).hash).toMatch(/^#l=/);
  await studio.reload();
  await expect(studio.getByRole("heading", { name: "Lesson: Mein Puffer" })).toBeVisible();
  const wrong = deflateRawSync("# Nothing").toString("base64url");
  await studio.evaluate((hash) => void (location.hash = hash), `#l=${wrong}`);
  await expect(studio.getByRole("alert")).toContainText("its lesson has an error: the lesson has no scenario");
  await expect(studio.getByRole("heading", { name: "Lesson: Mein Puffer" })).toBeVisible();
});
