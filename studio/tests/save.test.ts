import { parquetReadObjects } from "hyparquet";
import { expect, it } from "vitest";
import { csv, parquet, type Rows } from "../src/ui/save";

const rows = (label: string, columns: Record<string, number[]>): Rows => ({
  label,
  columns: Object.keys(columns),
  values: (name) => Float64Array.from(columns[name] ?? []),
});
const RUNS = [
  rows("DropTail", { time: [0.02, 0.04, 0.06], "links.a.forward.queue": [0, 17, 1 / 3] }),
  rows("CoDel, \"short\"", { time: [0.02, 0.04], "links.a.forward.queue": [0, 5], "links.a.forward.dropping": [0, 1] }),
];

it("Parquet holds the rows of all runs, bit for bit", async () => {
  const file = parquet(RUNS);
  expect(await parquetReadObjects({ file })).toEqual([
    { variant: "DropTail", time: 0.02, "links.a.forward.queue": 0, "links.a.forward.dropping": NaN },
    { variant: "DropTail", time: 0.04, "links.a.forward.queue": 17, "links.a.forward.dropping": NaN },
    { variant: "DropTail", time: 0.06, "links.a.forward.queue": 1 / 3, "links.a.forward.dropping": NaN },
    { variant: 'CoDel, "short"', time: 0.02, "links.a.forward.queue": 0, "links.a.forward.dropping": 0 },
    { variant: 'CoDel, "short"', time: 0.04, "links.a.forward.queue": 5, "links.a.forward.dropping": 1 },
  ]);
});

it("CSV has a line for each row", () => {
  const lines = csv(RUNS).trim().split("\n");
  expect(lines[0]).toBe("variant,time,links.a.forward.queue,links.a.forward.dropping");
  expect(lines[5]).toBe('"CoDel, ""short""",0.04,5,1');
  expect(lines).toHaveLength(6);
});

it.each(["=1+1", "+1", "-1", "@x", "\t=1", "\n=1", "\r=1", " =1", "\uff1d1"])("%j is no formula in CSV", (label) => {
  const text = csv([rows(label, { time: [0] })]).slice("variant,time\n".length);
  expect(text.replace(/^"/, "").startsWith(`'${label}`)).toBe(true);
});
