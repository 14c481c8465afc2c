import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { initSync, Scenario } from "../pkg/weir_wasm.js";
import { notesOf } from "../src/core/notes";

beforeAll(() => {
  initSync({ module: readFileSync(new URL("../pkg/weir_wasm_bg.wasm", import.meta.url)) });
});

const TEXT = `schema = 1
name = "marks"
duration = "60 s"
measure.warm_up = "10 s"
[links.a]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "2 BDP"
[flows.ftp]
count = 8
rtt = "60 ms"
start_jitter = "1 s"
[variants.marks]
links.a.queue.rem.ecn = true
`;

/** The notes on a variant. */
function notes(variant: string | null): unknown {
  const scenario = new Scenario(TEXT, "scenario", variant);
  const found: unknown = JSON.parse(scenario.notes());
  scenario.free();
  return found;
}

it("a variant has the notes of weir check", () => {
  expect(notes(null)).toEqual([]);
  expect(notes("marks")).toEqual([
    {
      code: "ecn-without-senders",
      severity: "warning",
      path: "links.a.queue.rem.ecn",
      message: "no flow here is ECN-capable, so rem drops where it would mark",
      hint: "flows.ftp.tcp.ecn = true",
    },
  ]);
});

it("a note of several variants is said once, warnings first", () => {
  const text = TEXT.replace("[variants.marks]", `[variants.pi]
links.a.queue.pi.ecn = true
[variants.plain]
links.a.queue.codel = {}
[variants.marks]`);
  const found = notesOf(text, ["plain", "pi", "marks"]);
  expect(found.map(({ note, places }) => [note.path, places])).toEqual([
    ["links.a.queue.pi.ecn", [1]],
    ["links.a.queue.rem.ecn", [2]],
  ]);
  expect(notesOf(TEXT, ["marks", "marks"]).map(({ places }) => places)).toEqual([[0, 1]]);
});
