import { expect } from "@playwright/test";
import { PLAIN, frames, paused, poll, test, textOf, time } from "./page";

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
  const text = textOf(studio);
  const written = await text.value();
  await text.fill(written.replace('rate = "20 Mbit/s"', 'rate = "30 Mbit/s"'));
  // The press comes after what was typed, however soon.
  await undo!.click();
  await text.toBe(written);
  await redo!.click();
  await text.toBe(/30 Mbit/);
  // A text that is no scenario is taken back first.
  await text.fill("wrong");
  await expect(studio.getByRole("alert")).toBeVisible();
  await undo!.click();
  await text.toBe(/30 Mbit/);
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

test("Space, Home and undo are the page's wherever the focus is, but in a text field", async ({ studio }) => {
  await studio.goto(PLAIN);
  const play = studio.getByRole("button", { name: /^(Play|Pause)$/ });
  const playing = (is: boolean): Promise<void> => expect(play).toHaveAccessibleName(is ? "Pause" : "Play");
  const slider = studio.getByRole("slider", { name: "Buffer", exact: true });
  const box = studio.getByRole("group", { name: "Flows cubic" }).getByLabel("ECN");
  const b = studio.getByLabel("Queue discipline of B");
  const dark = studio.getByRole("button", { name: "Dark" });
  const buffer = studio.getByLabel("Buffer, typed");
  await playing(true);
  await poll(() => time(studio)).toBeGreaterThan(0);
  await studio.getByRole("button", { name: "the whole run" }).click();
  for (const [index, control] of [slider, box, b, dark].entries()) {
    await control.click();
    if (control === b) await studio.keyboard.press("Escape");
    await studio.keyboard.press("Space");
    await playing(index % 2 === 1);
  }
  await expect(b).toHaveValue("codel");
  await expect(dark).toHaveAttribute("aria-pressed", "true");
  await expect(box).toBeChecked();
  await studio.keyboard.press("Space");
  await playing(false);
  // The click at the slider, and that at the box, are two changes.
  await slider.focus();
  const moved = await buffer.inputValue();
  await studio.keyboard.press("Home");
  await poll(() => time(studio)).toBe(0);
  await expect(buffer).toHaveValue(moved);
  await studio.keyboard.press("Control+z");
  await expect(box).not.toBeChecked();
  await studio.keyboard.press("Control+z");
  await expect(buffer).toHaveValue("400 packets");
  await studio.keyboard.press("Control+Shift+Z");
  await expect(buffer).toHaveValue(moved);
  await b.focus();
  await studio.keyboard.press("Control+z");
  await expect(buffer).toHaveValue("400 packets");
  await dark.focus();
  await studio.keyboard.press("Control+y");
  await expect(buffer).toHaveValue(moved);
  await slider.focus();
  await studio.keyboard.press("Shift+Home");
  await expect(buffer).toHaveValue("1 packets");
  await studio.keyboard.press("Control+z");
  // A text field keeps its letters, and its own undo while it is typed in.
  const rate = studio.getByLabel("Rate, typed");
  await rate.click();
  await studio.keyboard.press("End");
  await studio.keyboard.type(" x.");
  await expect(rate).toHaveValue("20 Mbit/s x.");
  await studio.keyboard.press("Control+z");
  await expect(rate).not.toHaveValue("20 Mbit/s x.");
  await expect(buffer).toHaveValue(moved);
  await rate.fill("10 Mbit/s");
  await studio.keyboard.press("Enter");
  await studio.keyboard.press("Control+z");
  await expect(rate).toHaveValue("20 Mbit/s");
  await playing(false);
});

test("after Tab a control keeps Space; Play is two keys away; ? lists the keys", async ({ studio }) => {
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBeGreaterThan(0);
  await studio.keyboard.press("Tab");
  await expect(studio.getByRole("button", { name: "Skip to Play" })).toBeFocused();
  await studio.keyboard.press("Enter");
  await expect(studio.getByRole("button", { name: "Pause" })).toBeFocused();
  await studio.keyboard.press("Space");
  await expect(studio.getByRole("button", { name: "Play", exact: true })).toBeFocused();
  await studio.getByRole("button", { name: "Large type" }).focus();
  await studio.keyboard.press("Shift+Tab");
  await studio.keyboard.press("Space");
  const keys = studio.getByRole("dialog", { name: "Keys" });
  await expect(keys).toBeVisible();
  await studio.keyboard.press("Escape");
  await expect(keys).toBeHidden();
  await studio.getByRole("slider", { name: "Buffer" }).focus();
  await studio.keyboard.press("?");
  await expect(keys).toContainText("Ctrl+Shift+Z");
  await studio.getByRole("button", { name: "Close" }).click();
  await expect(keys).toBeHidden();
});

test("help at the focus moves no control, on a wide page and on a telephone", async ({ studio }) => {
  await studio.emulateMedia({ reducedMotion: "reduce" });
  await studio.goto(PLAIN);
  await poll(() => time(studio)).toBe(60);
  const places = (): Promise<number[][]> =>
    studio.locator(".slider, .left select, .left button").evaluateAll((all) =>
      all.map((one) => {
        const { left, top, width, height } = one.getBoundingClientRect();
        return [left, top + scrollY + one.closest("aside")!.scrollTop, width, height].map(Math.round);
      }),
    );
  for (const width of [1280, 375]) {
    await studio.setViewportSize({ width, height: 800 });
    // The plots take the new room within 0.25 s, and move what stands below them.
    await frames(studio, 10, 600);
    const before = await places();
    expect(before.length).toBeGreaterThan(8);
    for (const slider of (await studio.locator(".slider").all()).slice(2)) {
      await slider.getByRole("slider").focus();
      const help = slider.locator(".help");
      await expect(help).toBeVisible();
      const [shown, own] = [(await help.boundingBox())!, (await slider.boundingBox())!];
      expect(shown.x >= own.x + own.width || shown.y + shown.height <= own.y || shown.y >= own.y + own.height).toBe(true);
      expect(shown.x).toBeGreaterThanOrEqual(0);
      expect(shown.x + shown.width).toBeLessThanOrEqual(width);
      expect(await places()).toEqual(before);
    }
    await expect(studio.locator(".help:popover-open")).toHaveCount(1);
  }
});
