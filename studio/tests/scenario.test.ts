import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { initSync } from "../pkg/weir_wasm.js";
import { entry } from "../src/core/entry";
import { withCongestion } from "../src/core/controls";
import { library, START } from "../src/core/library";
import { allDisciplines, at, congestionControls, edit, read, resolve, withDiscipline, withVariant, within, type Table } from "../src/core/scenario";
import { digits, durationText, parseQuantity, quantityText, rateText, withUnit } from "../src/core/units";

// Not before the tests: there is one of each scenario of the library.
initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });

describe("edits", () => {
  it("change one value and keep the comments", () => {
    const text = edit(START, "links.bottleneck.buffer", '"90 packets"');
    expect(text).toContain('buffer = "90 packets"          # 240 ms when full');
    expect(resolve(text, "a").port.limit_packets).toBe(90);
  });
  it("give a variant another discipline, and a parameter of it", () => {
    const other = withDiscipline(START, resolve(START, "b"), "pie");
    const one = resolve(other, "b");
    expect([one.discipline, one.label]).toEqual(["pie", "PIE"]);
    const changed = edit(other, within("b", "links.bottleneck.queue.pie.target"), '"7 ms"');
    expect(resolve(changed, "b").parameters.target).toBe("7 ms");
    expect(resolve(changed, "a").discipline).toBe("drop-tail");
  });
  it("find a label and a title however TOML writes them", () => {
    const plain = START.slice(0, START.indexOf("[variants.a]"));
    const dotted = `${plain}[variants]\na.label = 'one "1"'\nb = { label = "th\\u0072ee" }\nc = {}\n`;
    expect(["a", "b", "c"].map((name) => resolve(dotted, name).label)).toEqual(['one "1"', "three", "DropTail"]);
    const titles = library().flatMap((part) => part.choices.slice(part.label === "Start" ? 1 : 0));
    expect(titles.filter(({ id, title }) => title !== read(entry(id)!.text).title)).toEqual([]);
  });
  it("add a variant", () => {
    const text = withVariant(START, "c", resolve(START, "a"), "rem");
    expect(read(text).variants).toEqual(["a", "b", "c"]);
    expect(resolve(text, "c").discipline).toBe("rem");
    // Where the others stand in one line, so does the new one.
    const inline = `${START.slice(0, START.indexOf("[variants.a]"))}[variants]\na = { "links.bottleneck.queue.codel" = {} }\n`.replace("schema = 1", "schema = 1 # first");
    for (const before of [inline, START.slice(0, START.indexOf("[variants.a]")), inline.replace(/\[variants\]\na = (.*)/, "").replace("schema = 1", "variants = { a = { label = 'one' } }\nschema = 1")]) {
      const added = withVariant(before, "c", resolve(before, null), "pie");
      expect([resolve(added, "c").discipline, resolve(added, "c").label]).toEqual(["pie", "PIE"]);
      expect(read(added).variants).toContain("c");
    }
  });
  it.each(library().flatMap((part) => part.choices.map((one) => [one.id, one.text] as const)))(
    "give every variant of %s another discipline and buffer",
    (_, text) => {
      const variants = read(text).variants;
      for (const name of variants.length > 0 ? variants : [null]) {
        const changed = withDiscipline(text, resolve(text, name), "codel");
        expect(resolve(changed, name).discipline).toBe("codel");
        const one = resolve(text, name);
        expect(resolve(edit(text, `${one.port.key}.buffer`, '"77 packets"'), null).values).not.toEqual(resolve(text, null).values);
      }
    },
  );
  it("give the start every discipline of the schema", () => {
    for (const name of allDisciplines().keys()) {
      const text = withDiscipline(START, resolve(START, "a"), name);
      expect(resolve(text, "a").discipline).toBe(name);
    }
  });
  it("know what the authors recommend", () => {
    const of = (discipline: string, name: string) => allDisciplines().get(discipline)?.parameters.find((one) => one.name === name);
    expect(of("codel", "target")?.published).toEqual({ from: 0.05, to: 0.1, of: "interval", source: "RFC 8289, sections 3.2 and 4.3: of the round trip, about one interval" });
    expect(of("adaptive-red", "max_p")?.published).toMatchObject({ from: 0.01, to: 0.5 });
    expect(of("codel", "target")).toMatchObject({ fallback: "5 ms", source: "RFC 8289" });
  });
  it("know what is in a table that may be left out, and what it replaces", () => {
    const inner = allDisciplines().get("pi")?.parameters.filter((one) => one.name.startsWith("design."));
    expect(inner?.map(({ name, kind, replaces }) => [name, kind, replaces])).toEqual([["design.flows", "integer", ["a", "b"]], ["design.rtt", "quantity", ["a", "b"]], ["design.crossover", "other", ["a", "b"]]]);
  });
  it("say what is wrong, and in which line", () => {
    expect(() => read(START.replace('"20 Mbit/s"', '"20 Mbits"'))).toThrow(expect.objectContaining({ line: 9 }) as Error);
  });
});

describe("congestion controls", () => {
  it("are those of the schema, with titles", () => {
    const titles = Object.fromEntries(congestionControls().map((one) => [one.name, one.title]));
    expect(titles).toMatchObject({ reno: "Reno", cubic: "CUBIC", dctcp: "DCTCP", scalable: "Scalable TCP", prague: "TCP Prague", bbr1: "BBR version 1", wireless: "Wireless NewReno" });
  });
  it("run with what they need", () => {
    for (const { name } of congestionControls()) {
      const tcp = at(resolve(withCongestion(START, "flows.cubic", name, ["a", "b"]), "a").values, ["flows", "cubic", "tcp"]) as Table;
      expect(Object.keys(tcp.congestion as Table)).toEqual([name]);
      if (name === "prague") expect(tcp).toMatchObject({ ecn: true, accecn: true, recovery: { sack: {} } });
    }
  });
});

describe("units", () => {
  it("are read and written as people write them", () => {
    expect(parseQuantity("20 Mbit/s")).toEqual({ value: 20e6, base: "bit/s", unit: "Mbit/s" });
    expect(parseQuantity("5 ms")?.value).toBeCloseTo(0.005);
    expect(["a third", "1_000 packets", "5 sec", "5"].map(parseQuantity)).toEqual([undefined, undefined, undefined, undefined]);
    expect([quantityText(64000, "kB"), quantityText(1.5, "BDP"), quantityText(3, "packet"), quantityText(0.1, "")]).toEqual(["64 kB", "1.5 BDP", "3 packets", "0.1"]);
    expect([rateText(2e7), rateText(1.5e9), durationText(0.04), durationText(2e-6), quantityText(1514, "B")]).toEqual(["20 Mbit/s", "1.5 Gbit/s", "40 ms", "2 us", "1514 B"]);
  });
  it("stay when a number is typed alone", () => {
    const typed = [["20", "10 Mbit/s"], [" 7 ", "1 packet"], ["1.5", "1 BDP"], ["3e1", "40 ms"], ["20 ms", "1 s"], ["", "1 s"], ["many", "1 s"], ["8", "3"]];
    expect(typed.map(([text, there]) => withUnit(text!, there!))).toEqual(["20 Mbit/s", "7 packets", "1.5 BDP", "30 ms", "20 ms", "", "many", "8"]);
  });
  it("have three digits", () => {
    expect([0, 0.00123456, 5, 13.25, 999.6, 12345, NaN].map((value) => digits(value))).toEqual(["0", "0.00123", "5.00", "13.3", "1000", "12300", "–"]);
  });
});
