import { expect } from "@playwright/test";
import { PLAIN, paused, poll, test, time } from "./page";

test("one history has all changes: of the text, of variants, of moves", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(1);
  await paused(studio);
  const [undo, redo] = ["Undo", "Redo"].map((name) => studio.getByRole("button", { name }));
  await expect(undo!).toBeDisabled();
  const b = studio.getByLabel("Queue discipline of B");
  const rate = studio.getByLabel("Rate, typed");
  const move = studio.getByRole("slider", { name: "Change: bottleneck rate 10 Mbit/s" });
  await rate.fill("10 Mbit/s");
  await rate.press("Enter");
  await expect(move).toHaveCount(1);
  await move.press("Delete");
  await expect(move).toHaveCount(0);
  await studio.getByRole("button", { name: "Remove B" }).click();
  await expect(b).toHaveCount(0);
  await studio.getByRole("button", { name: "Text" }).click();
  const text = studio.getByLabel("The scenario as text");
  const written = await text.inputValue();
  await text.fill(written.replace('rate = "20 Mbit/s"', 'rate = "30 Mbit/s"'));
  // The press comes after what was typed, however soon.
  await undo!.click();
  await expect(text).toHaveValue(written);
  await redo!.click();
  await expect(text).toHaveValue(/30 Mbit/);
  // A text that is no scenario is taken back first.
  await text.fill("wrong");
  await expect(studio.getByRole("alert")).toBeVisible();
  await undo!.click();
  await expect(text).toHaveValue(/30 Mbit/);
  await expect(studio.getByRole("alert")).toHaveCount(0);
  await undo!.click();
  await studio.getByRole("button", { name: "Sliders" }).click();
  await expect(rate).toHaveValue("20 Mbit/s");
  await undo!.click();
  await expect(b).toHaveValue("codel");
  await undo!.click();
  await expect(move).toHaveCount(1);
  await undo!.click();
  await expect(move).toHaveCount(0);
  await expect(undo!).toBeDisabled();
  for (let step = 0; step < 4; step++) await redo!.click();
  await expect(redo!).toBeDisabled();
  await expect(b).toHaveCount(0);
  await expect(rate).toHaveValue("30 Mbit/s");
});
