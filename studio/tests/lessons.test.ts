import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { initSync, Scenario } from "../pkg/weir_wasm.js";
import { isIn, learn, LESSONS, lessonOf, movedText, parseLesson, valueOf, type Lesson, type Quantity } from "../src/core/lessons";
import { START } from "../src/core/library";
import { measured, type Tables } from "../src/core/measures";
import { pack, RefusedLink } from "../src/core/share";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

const of = (id: string): Lesson => lessonOf(`lesson/${id}`)!;

/** The value that the page measures with one seed. */
function value(lesson: Lesson, quantity: Quantity, seed: bigint): number {
  return valueOf(quantity, ({ before, variant, measure, group }) => {
    const text = before ? lesson.scenario : movedText(lesson);
    const tables = new Scenario(text, "lesson", variant).simulate(seed).finish() as Tables;
    return measured(tables, [{ measure, group }])[0]!;
  });
}

describe("lessons", () => {
  it("are ten or more", () => {
    expect(LESSONS.length).toBeGreaterThanOrEqual(10);
    expect(lessonOf("lesson/none")).toBeUndefined();
  });
  it.each(LESSONS.map(({ id }) => id))("%s: the page measures what the lesson says", (id) => {
    const lesson = of(id);
    const right = lesson.answers.find((answer) => answer.right)!;
    expect(isIn(right.range, value(lesson, lesson.measured, 1n))).toBe(true);
    for (const claim of lesson.claims) expect(isIn(claim.range, value(lesson, claim.measured, 1n)), claim.html).toBe(true);
    const scenario = new Scenario(lesson.scenario, id);
    const columns = scenario.variants.flatMap((variant) => new Scenario(lesson.scenario, id, variant).simulate(1n).columns());
    if (lesson.shows !== null) expect(columns).toContain(`links.bottleneck.forward.${lesson.shows}`);
  });
  it("begin with a queue that CoDel keeps at least ten times as short", () => {
    const delay = (variant: string): number => measured(new Scenario(START, "start", variant).simulate(1n).finish() as Tables, [{ measure: "delay_mean", group: null }])[0]!;
    expect(delay("a")).toBeGreaterThan(10 * delay("b"));
  });
  it("of somebody travel in an address", async () => {
    const { text } = LESSONS[0]!;
    const lesson = await learn(`l=${await pack(text.replace("# Bufferbloat", "# Mine"))}`);
    expect(lesson.title).toBe("Mine");
    await expect(learn("l=x")).rejects.toThrow(RefusedLink);
    await expect(learn(`l=${await pack("# Nothing")}`)).rejects.toMatchObject({ message: "the lesson has no scenario" });
  });
  it("show what an author writes as HTML", () => {
    const { text } = LESSONS[0]!;
    const lesson = parseLesson(text.replace("A CUBIC sender", "<img src=x onerror=alert(1)> A CUBIC sender"), "mine.md");
    expect(lesson.text).toContain("&lt;img");
    expect(lesson.text).not.toContain("<img");
  });
});
