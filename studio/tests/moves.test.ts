import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { initSync, Scenario } from "../pkg/weir_wasm.js";
import { START } from "../src/core/library";
import { isMovable, movesOf, queueWith, textAt, withMoves, type Move } from "../src/core/moves";
import { edit, resolve, withDiscipline, within } from "../src/core/scenario";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

const MOVES: Move[] = [
  { at: 5, path: "links.bottleneck.rate", value: "10 Mbit/s", variant: null },
  { at: 5, path: "flows.cubic.count", value: 40, variant: null },
  { at: 7.25, path: "links.bottleneck.queue", value: { codel: { target: "20 ms" } }, variant: "b" },
  { at: 9, path: "flows.cubic.rtt", value: "80 ms", variant: null },
  { at: 12, path: "links.bottleneck.queue", value: { pie: {} }, variant: "b" },
];

describe("moves", () => {
  it("are written into the scenario and read from it", () => {
    const text = withMoves(START, MOVES);
    expect(movesOf(text)).toEqual(MOVES);
    expect(text).toContain('{ at = "5 s", links.bottleneck.rate = "10 Mbit/s", flows.cubic.count = 40 },');
    expect(resolve(text, "a").values.changes).toHaveLength(1);
    expect(resolve(text, "b").values.changes).toHaveLength(3);
  });
  it("leave nothing behind when they are removed", () => {
    expect(withMoves(withMoves(START, MOVES), [])).toBe(START);
  });
  it("are read as a person writes them", () => {
    const text = `${START}\n[[changes]]\nat = "20 s"\nlinks.bottleneck.buffer = "50 packets"\nflows.cubic = { count = 5, rtt = "20 ms" }\n`;
    expect(movesOf(text).map((move) => [move.at, move.path, move.value])).toEqual([
      [20, "links.bottleneck.buffer", "50 packets"],
      [20, "flows.cubic.count", 5],
      [20, "flows.cubic.rtt", "20 ms"],
    ]);
    expect(movesOf(withMoves(text, movesOf(text)))).toEqual(movesOf(text));
  });
  it("keep their comments when others are written", () => {
    for (const written of [
      `\n# Rush hour.\n[[changes]]\nat = "20 s" # in the evening\nflows.cubic.count = 50\n\n# Night.\n[[changes]]\nat = "40 s"\nflows.cubic.count = 5\n`,
      `\n[variants.c]\nchanges = [\n  # Rush hour.\n  { at = "20 s", flows.cubic.count = 50 }, # in the evening\n  # Night.\n  { at = "40 s", flows.cubic.count = 5 },\n]\n`,
    ]) {
      const text = START + written;
      const moves = movesOf(text);
      expect(withMoves(text, moves)).toBe(text);
      const { variant } = moves[0]!;
      const more = withMoves(text, [...moves, { at: 30, path: "flows.cubic.rtt", value: "80 ms", variant }]);
      expect(movesOf(more).map((move) => move.at)).toEqual([20, 30, 40]);
      const shifted = withMoves(more, movesOf(more).map((move) => (move.at === 20 ? { ...move, at: 50 } : move)));
      expect(movesOf(shifted).map((move) => [move.at, move.value])).toEqual([[30, "80 ms"], [40, 5], [50, 50]]);
      const fewer = withMoves(shifted, movesOf(shifted).filter((move) => move.at !== 30));
      for (const each of [more, shifted, fewer]) for (const comment of ["# Rush hour.", "# Night.", "# in the evening"]) expect(each.split(comment)).toHaveLength(2);
      expect(withMoves(fewer, [])).not.toContain("changes = [");
    }
  });
  it("change all of a row of links at once", () => {
    const row = `schema = 1\nname = "row"\nduration = "9 s"\n[links.hop]\nhops = 3\nrate = "10 Mbit/s"\ndelay = "5 ms"\nbuffer = "100 packets"\n[flows.long]\ncount = 2\nrtt = "60 ms"\n`;
    const one = resolve(row, null);
    const move: Move = { at: 4, path: `${one.port.key}.rate`, value: "5 Mbit/s", variant: null };
    const text = withMoves(row, [move]);
    expect(one.network.ports.map(({ key }) => key)).toEqual(["links.hop", "links.hop", "links.hop"]);
    expect(text).toContain('{ at = "4 s", links.hop.rate = "5 Mbit/s" }');
    expect(resolve(text, null).network.ports.map((port) => port.rate_bps)).toEqual([10e6, 10e6, 10e6]);
    expect(resolve(textAt(text, [move], 5), null).network.ports.map((port) => port.rate_bps)).toEqual([5e6, 5e6, 5e6]);
  });
  it("hold from their instant on", () => {
    const text = withMoves(START, MOVES);
    const at = (time: number) => resolve(textAt(text, MOVES, time), "b");
    expect(at(4.9).port.rate_bps).toBe(20e6);
    expect(at(5).port.rate_bps).toBe(10e6);
    expect([at(7).parameters.target, at(8).parameters.target, at(12).discipline]).toEqual(["5 ms", "20 ms", "pie"]);
    expect(resolve(textAt(text, MOVES, 20), "a").discipline).toBe("drop-tail");
  });
  it("give a queue whole, without its defaults", () => {
    const one = resolve(START.replace("codel = {}", 'codel = { interval = "50 ms" }'), "b");
    expect(queueWith(one, "target", "7 ms")).toEqual({ codel: { interval: "50 ms", target: "7 ms" } });
  });
  it("are for what may change in mid-run", () => {
    expect(["links.a.rate", "links.a.reverse.queue", "flows.x-1.rtt"].every(isMovable)).toBe(true);
    expect(["links.a.delay", "flows.x.tcp.ecn", "duration"].some(isMovable)).toBe(false);
  });
  it("change what is simulated from then on, and give a discipline that comes its columns", () => {
    const simulation = new Scenario(withMoves(START, MOVES), "moves", "b").simulate(1n);
    const plain = new Scenario(START, "moves", "b").simulate(1n);
    const columns = simulation.columns();
    const probability = columns.indexOf("links.bottleneck.forward.probability");
    const count = columns.indexOf("links.bottleneck.forward.count");
    expect(Math.min(probability, count)).toBeGreaterThan(0);
    expect(plain.columns()).not.toContain("links.bottleneck.forward.probability");
    simulation.sample(4.9, 0.1);
    plain.sample(4.9, 0.1);
    const shared = plain.columns().map((name) => columns.indexOf(name));
    const [moved, still] = [simulation.take(), plain.take()];
    for (let row = 0; row < 49; row++) expect(shared.map((place) => moved[row * columns.length + place])).toEqual([...still.slice(row * shared.length, (row + 1) * shared.length)]);
    simulation.sample(20, 0.1);
    const rows = simulation.take();
    expect([rows[count], rows[probability]].map(Number.isNaN)).toEqual([false, true]);
    const last = rows.slice(-columns.length);
    expect([last[count], last[probability]].map(Number.isNaN)).toEqual([true, false]);
  });
});

describe("keys of a variant that are paths", () => {
  const plain = START.slice(0, START.indexOf("[variants.a]"));
  const title = 'title = """\n"links.bottleneck.rate" = 3\n  \'a.b\' = 4\n"""';
  const titled = plain.replace(/^title = .*$/m, title);
  const KEYS = [
    ["in quotation marks", '[variants.b]\nlabel = "one" # its name\n"links.bottleneck.queue.codel" = { interval = "50 ms" } # slow\n"flows.cubic.count" = 3\nduration = "40 s"\n'],
    ["in apostrophes", "[variants.b]\nlabel = \"one\" # its name\n'links.bottleneck.queue.codel' = { interval = \"50 ms\" } # slow\n'flows.cubic.count' = 3\nduration = \"40 s\"\n"],
    ["in parts", '[variants."b"]\nlabel = "one" # its name\nlinks."bottleneck".\'queue.codel\' = { interval = "50 ms" } # slow\nflows.cubic.count = 3\nduration = "40 s"\n'],
    ["on one line", '[variants]\nb = { label = "one", "links.bottleneck.queue.codel" = { interval = "50 ms" }, "flows.cubic.count" = 3, duration = "40 s" } # its name # slow\n'],
  ] as const;
  it.each(KEYS)("are edited in part, and the rest stays: %s", (_, variant) => {
    const text = titled + variant;
    const changed = edit(text, within("b", "links.bottleneck.queue.codel.target"), '"7 ms"');
    expect(resolve(changed, "b").parameters).toMatchObject({ target: "7 ms", interval: "50 ms" });
    expect(changed).toContain(title);
    for (const comment of ["# its name", "# slow"]) expect(changed.split(comment)).toHaveLength(2);
    // Nothing else is written in another way, or elsewhere.
    const rest = (one: string): string[] => one.split(/[\n,{}]/).filter((line) => /duration|flows.cubic.count/.test(line)).map((line) => line.trim());
    expect(rest(changed)).toEqual(rest(text));
    const other = withDiscipline(text, resolve(text, "b"), "pie");
    expect([resolve(other, "b").discipline, resolve(other, "b").values.duration]).toEqual(["pie", "40 s"]);
    expect(edit(changed, within("b", "links.bottleneck.buffer"), '"77 packets"')).toContain(title);
  });
  it.each(KEYS)("take a list of changes: %s", (_, variant) => {
    const text = titled + variant;
    const moves: Move[] = [{ at: 4, path: "links.bottleneck.rate", value: "5 Mbit/s", variant: "b" }];
    const changed = withMoves(text, moves);
    expect(movesOf(changed)).toEqual(moves);
    expect(changed).toContain(title);
    expect(resolve(changed, "b").parameters).toMatchObject({ interval: "50 ms" });
    expect(withMoves(changed, [])).toBe(text);
  });
  it("may stand apart from others of their table", () => {
    const text = `${titled}[variants.b]\n"links.bottleneck.queue.codel" = {}\nflows.cubic.count = 3\nlinks.bottleneck.buffer = "50 packets" # short\nlinks.bottleneck.rate = "9 Mbit/s"\n`;
    const changed = edit(text, within("b", "links.bottleneck.queue.codel.target"), '"7 ms"');
    expect(resolve(changed, "b")).toMatchObject({ parameters: { target: "7 ms" }, port: { rate_bps: 9e6, limit_packets: 50 } });
    expect(changed).toContain("# short");
  });
});
