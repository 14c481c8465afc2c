/** Whatever a control offers, the simulator takes; what it does not take is not offered, with the reason. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { initSync } from "../pkg/weir_wasm.js";
import { bufferScale, countScale, fitted, loadScale, needed, rateScale, refusal, rttScale, sliders, sourceRateScale, toldNeeds, trafficOf, withCongestion, withValue, type Scale } from "../src/core/controls";
import { demandOf, demandText, isMuch } from "../src/core/demand";
import { LESSONS, lessonOf } from "../src/core/lessons";
import { library, START } from "../src/core/library";
import { allDisciplines, at, congestionControls, edit, read, resolve, withDiscipline, within, type Resolved } from "../src/core/scenario";
import { quantityText } from "../src/core/units";

initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });

const SCENARIOS = [...library().flatMap((part) => part.choices.map(({ id, text }) => [id, text] as const)), ...LESSONS.map(({ id }) => [`lesson/${id}`, lessonOf(`lesson/${id}`)!.scenario] as const)];
const DATAGRAMS = ["cbr", "on-off", "replay"];

type Shown = (string | null)[];
const shownOf = (text: string): Shown => (read(text).variants.length > 0 ? read(text).variants.slice(0, 2) : [null]);

/** The text with an end of a slider. */
function atEnd(text: string, { paths, base, unit, whole }: Scale, value: number): string {
  const written = base === "" ? String(whole ? Math.round(value) : value) : JSON.stringify(quantityText(value, unit));
  return paths.reduce((all, path) => edit(all, path, written), text);
}

/** Ends of sliders at which the simulator refuses the scenario. */
function refusedEnds(text: string, shown: Shown, scales: (Scale | undefined)[]): string[] {
  return scales.flatMap((one) => {
    if (!one) return [];
    const { low, high } = fitted(text, shown, one);
    if (!(low < high)) return [`${one.paths.join()} stands still at ${low}`];
    return [low, high].flatMap((value) => {
      const reason = refusal(shown, () => atEnd(text, one, value));
      return reason === undefined ? [] : [`${one.paths.join()} = ${value}: ${reason}`];
    });
  });
}

const scalesOf = (one: Resolved): Scale[] => sliders(one, (_, value) => value).map(([, scale]) => scale);

/** Entries of menus that are refused. */
function refusedChoices(text: string, shown: Shown, one: Resolved): string[] {
  const path = within(one.variant, `${one.port.key}.queue.${one.discipline}`);
  return (allDisciplines().get(one.discipline)?.parameters ?? []).flatMap(({ name, kind, choices }) => {
    const values = kind === "boolean" ? ["true", "false"] : kind === "choice" ? choices.map((each) => JSON.stringify(each)) : [];
    return values.flatMap((value) => {
      const reason = refusal(shown, () => withValue(text, `${path}.${name}`, value, shown));
      return reason === undefined ? [] : [`${one.discipline} ${name} ${value}: ${reason}`];
    });
  });
}

describe("ends of sliders and entries of menus", () => {
  it.each(SCENARIOS)("of %s are valid", (_, text) => {
    const shown = shownOf(text);
    const all = shown.map((name) => resolve(text, name));
    const first = all[0]!;
    const { groups } = first.network;
    const scales = [rateScale(first), bufferScale(first), ...groups.flatMap((group) => [rttScale([group]), countScale(first, group), sourceRateScale(first, group), loadScale(first, group)])];
    if (new Set(groups.map((group) => group.rtt_s)).size === 1) scales.push(rttScale(groups));
    expect(refusedEnds(text, shown, [...scales, ...all.flatMap((one) => scalesOf(one))])).toEqual([]);
    expect(all.flatMap((one) => refusedChoices(text, shown, one))).toEqual([]);
    for (const group of groups) {
      if (DATAGRAMS.includes(trafficOf(first, group))) continue;
      for (const { name } of congestionControls()) expect(refusal(shown, () => withCongestion(text, group.key, name, shown)), name).toBeUndefined();
    }
    for (const one of all) for (const name of allDisciplines().keys()) expect(refusal(shown, () => withDiscipline(text, one, name)), name).toBeUndefined();
  });
  it("of every discipline are valid, or refused with the reason", () => {
    const refused = [...allDisciplines().keys()].flatMap((name) => {
      const text = withDiscipline(START, resolve(START, "b"), name);
      const one = resolve(text, "b");
      expect(refusedEnds(text, ["a", "b"], scalesOf(one))).toEqual([]);
      return refusedChoices(text, ["a", "b"], one);
    });
    expect(refused).toEqual(['modular measure "loss": loss has no default for high']);
  });
});

describe("scales", () => {
  const of = (text: string, name: string): Scale => {
    const one = resolve(text, "b");
    return fitted(text, ["a", "b"], sliders(one, (_, value) => value).find(([each]) => each.name === name)![1]);
  };
  it("end where the scenario does, at numbers that are short", () => {
    expect(of(START, "target")).toMatchObject({ low: 7.1e-5, high: 0.099 });
    expect(fitted(START, ["a", "b"], rttScale(resolve(START, "a").network.groups))).toMatchObject({ low: 0.02, high: 1 });
    expect(of(withDiscipline(START, resolve(START, "b"), "fq-codel"), "flows")).toMatchObject({ low: 10, high: 65000, whole: true });
  });
  it("have what is recommended in their middle", () => {
    const { low, high } = of(withDiscipline(START, resolve(START, "b"), "adaptive-red"), "max_p");
    expect([low, high]).toEqual([0.00071, 1]);
  });
  it("are logarithms where a quantity lives on one", () => {
    expect(of(withDiscipline(START, resolve(START, "b"), "avq"), "gamma")).toMatchObject({ log: false, high: 1 });
    expect(of(withDiscipline(START, resolve(START, "b"), "rem"), "phi")).toMatchObject({ log: true, offset: 1 });
  });
});

describe("demand", () => {
  const of = (pairs: [string, string][]) => demandOf(pairs.reduce((text, [path, value]) => edit(text, path, value), START), ["a", "b"]);
  it("is asked about where it is much", () => {
    const much = of([["flows.cubic.count", "1000000"]]);
    // The page was measured with 1.57 GB.
    expect(much.memory / 1.57e9).toBeCloseTo(1, 1);
    expect([isMuch(much, undefined), isMuch(much, much), isMuch(of([]), undefined), isMuch(of([["flows.cubic.count", "10000"]]), undefined)]).toEqual([true, false, false, false]);
    expect(demandText(much)).toMatch(/^1,000,000 flows need about 1.5 GB of memory and \S+ s of computing$/);
    expect(isMuch({ ...much, memory: 2 * much.memory }, much)).toBe(true);
    // A long run takes no more memory, and can be paused.
    expect(isMuch(of([["duration", '"5000000 s"']]), undefined)).toBe(false);
  });
});

describe("needs", () => {
  const told = (text: string, name: string): string => toldNeeds(name, needed(text, `flows.cubic.tcp.congestion.${name}`, "{}", ["a", "b"]));
  it("are told, and only those that are not there", () => {
    expect(told(START, "prague")).toBe("prague needs ECN, accurate ECN and SACK: set.");
    expect(told(START, "cubic")).toBe("");
    expect(told(withCongestion(START, "flows.cubic", "prague", ["a", "b"]), "prague")).toBe("");
    expect(told(START, "bbr1")).toBe("bbr1 needs the preset linux: set.");
  });
  it("take a loss recovery away that stands against them", () => {
    const text = edit(START, "flows.cubic.tcp.recovery.newreno", "{}");
    expect(told(text, "bbr3")).toBe("bbr3 needs the preset linux and its loss recovery: set.");
    expect(refusal(["a", "b"], () => withCongestion(text, "flows.cubic", "bbr3", ["a", "b"]))).toBeUndefined();
  });
  it("go with what needed them", () => {
    const text = withCongestion(START, "flows.cubic", "prague", []);
    expect(refusal([null], () => withValue(text, "flows.cubic.tcp.ecn", "false", [null]))).toMatch(/prague learns of congestion from marks/);
    const cubic = withValue(withCongestion(text, "flows.cubic", "cubic", []), "flows.cubic.tcp.ecn", "false", []);
    expect(at(resolve(cubic, "a").values, ["flows", "cubic", "tcp"])).toMatchObject({ ecn: false, accecn: false });
    const rem = withDiscipline(START, resolve(START, "b"), "rem");
    const marks = withValue(rem, "variants.b.links.bottleneck.queue.rem.mark_at", '"departure"', ["b"]);
    expect(resolve(marks, "b").parameters).toMatchObject({ ecn: true, mark_at: "departure" });
  });
});
