/** Offers of the controls, and their answers. */
import { expect } from "@playwright/test";
import { PLAIN, choose, test, textOf } from "./page";

test("a choice brings what it needs, and says so beside it", async ({ studio }) => {
  await studio.goto(PLAIN);
  const flows = studio.getByRole("group", { name: "Flows cubic" });
  const control = flows.getByLabel("Congestion control of cubic");
  await control.selectOption({ label: "TCP Prague" });
  await expect(flows.getByRole("status")).toHaveText("TCP Prague needs ECN, accurate ECN and SACK: set.");
  await expect(studio.getByRole("alert")).toHaveCount(0);
  // What it cannot do without stays, and the reason is there.
  await expect(flows.getByLabel("ECN")).toBeChecked();
  await expect(flows.getByLabel("ECN")).toBeDisabled();
  await expect(flows.getByText("prague learns of congestion from marks")).toBeVisible();
  await control.selectOption({ label: "BBR version 3" });
  await expect(flows.getByRole("status")).toHaveText("BBR version 3 needs the preset linux: set.");
  await control.selectOption({ label: "CUBIC" });
  await expect(flows.getByRole("status")).toHaveCount(0);
  await flows.getByLabel("ECN").uncheck();
  await expect(flows.getByRole("status")).toHaveText("ECN off needs no accurate ECN: set.");
  await expect(studio.getByRole("alert")).toHaveCount(0);
});

test("an option that would be refused is disabled, with the reason", async ({ studio }) => {
  await studio.goto(PLAIN);
  const queue = studio.getByRole("region", { name: "Queue B" });
  await queue.getByLabel("Queue discipline of B").selectOption({ label: "Modular" });
  await queue.getByText("More parameters").click();
  await queue.getByLabel("measure").focus();
  await expect(queue.getByRole("option", { name: "loss – loss has no default for high" })).toBeDisabled();
});

test("a slider ends where the scenario does", async ({ studio }) => {
  await studio.goto(PLAIN);
  await choose(studio, "2. RED and the number of flows");
  const rtt = studio.getByRole("slider", { name: "RTT" });
  await rtt.press("Shift+Home");
  await expect(studio.getByLabel("RTT, typed")).toHaveValue("20 ms");
  const threshold = studio.getByRole("region", { name: "Queue A" }).getByRole("slider", { name: "min_th" });
  await threshold.press("Shift+End");
  await expect(studio.getByRole("region", { name: "Queue A" }).getByLabel("min_th, typed")).toHaveValue("110 packets");
  await expect(studio.getByRole("alert")).toHaveCount(0);
});

test("a number alone keeps the unit that stands there", async ({ studio }) => {
  await studio.goto(PLAIN);
  const rate = studio.getByLabel("Rate, typed");
  await rate.fill("40");
  await rate.press("Enter");
  await expect(rate).toHaveValue("40 Mbit/s");
  await expect(studio.getByRole("alert")).toHaveCount(0);
});

test("an error stands at its control, which keeps the focus and what was typed", async ({ studio }) => {
  await studio.goto(PLAIN);
  const rate = studio.getByLabel("Rate, typed");
  await rate.fill("fast");
  await rate.press("Enter");
  await expect(rate).toBeFocused();
  await expect(rate).toHaveValue("fast");
  await expect(rate).toHaveAttribute("aria-invalid", "true");
  await expect(rate).toHaveAccessibleDescription(/"fast" is no rate|fast/);
  await expect(studio.getByRole("alert")).toHaveCount(1);
  await rate.press("Escape");
  await expect(rate).toHaveValue("20 Mbit/s");
  await expect(studio.getByRole("alert")).toHaveCount(0);
  const threshold = studio.getByRole("region", { name: "Queue B" }).getByLabel("target, typed");
  await threshold.fill("2 s");
  await threshold.press("Enter");
  await expect(studio.getByRole("region", { name: "Queue B" }).getByRole("alert")).toContainText("a target of 2 s is not below the interval of 100 ms");
  // Another change is no answer to it, but shows what is so.
  await studio.getByRole("slider", { name: "Buffer" }).press("ArrowLeft");
  await expect(threshold).toHaveValue("5 ms");
});

test("a text under repair is never overwritten", async ({ studio }) => {
  await studio.goto(PLAIN);
  const form = studio.getByRole("group", { name: "Form of the scenario" });
  const text = textOf(studio);
  await form.getByRole("button", { name: "Text" }).click();
  const before = await text.value();
  const broken = before.replace('"20 Mbit/s"', '"20 Mbits"');
  await text.fill(broken);
  // What was typed counts at once, whatever is pressed next.
  await form.getByRole("button", { name: "Sliders" }).click();
  await expect(studio.getByRole("alert").first()).toContainText("Line 9:");
  await expect(studio.getByRole("slider", { name: "Buffer" })).toBeDisabled();
  await expect(studio.getByLabel("Rate, typed")).toHaveAttribute("aria-invalid", "true");
  await studio.getByRole("button", { name: "Repair it" }).click();
  await text.toBe(broken);
  await text.fill(before.replace('"20 Mbit/s"', '"30 Mbit/s"'));
  await expect(studio.getByRole("alert")).toHaveCount(0);
  await form.getByRole("button", { name: "Sliders" }).click();
  await expect(studio.getByLabel("Rate, typed")).toHaveValue("30 Mbit/s");
  await form.getByRole("button", { name: "Text" }).click();
  await text.fill(broken);
  await studio.getByRole("button", { name: "Discard what was typed" }).click();
  await text.toBe(/30 Mbit/);
  await expect(studio.getByRole("alert")).toHaveCount(0);
});

test("what needs very much is asked first, by keyboard too", async ({ studio }) => {
  await studio.goto(PLAIN);
  const type = async (label: string, text: string): Promise<void> => {
    await studio.getByLabel(label).fill(text);
    await studio.getByLabel(label).press("Enter");
  };
  await type("cubic, typed", "1000000");
  const dialog = studio.getByRole("dialog", { name: "1,000,000 flows need about 1.5 GB of memory and" });
  await expect(dialog).toBeVisible();
  await expect(dialog.getByRole("button", { name: "Keep what runs" })).toBeFocused();
  await studio.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(studio.getByLabel("cubic, typed")).toHaveValue("20");
  await expect(studio.getByLabel("cubic, typed")).toBeFocused();
  // A buffer that would take much if it were full.
  await studio.getByRole("button", { name: "the whole run" }).click();
  await type("Rate, typed", "1 Gbit/s");
  await type("Buffer, typed", "6000000 packets");
  await studio.getByRole("button", { name: "Run it" }).press("Enter");
  await expect(studio.getByLabel("Buffer, typed")).toHaveValue("6000000 packets");
  await expect(studio.getByRole("alert")).toHaveCount(0);
  // A yes holds for the next control.
  await studio.getByRole("slider", { name: "RTT" }).press("Shift+End");
  await expect(studio.getByLabel("RTT, typed")).toHaveValue("1 s");
});
