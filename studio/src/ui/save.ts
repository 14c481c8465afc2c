/** Files that the page writes and reads. */
import { csvFormatRow } from "d3-dsv";
import { parquetWriteBuffer } from "hyparquet-writer";

/** Hands a file to the person. */
export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The text and the name of a file that the person chooses. */
export function open(accept: string): Promise<[string, string]> {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = accept;
    input.onchange = () => {
      const file = input.files?.[0];
      if (file) void file.text().then((text) => resolve([text, file.name]));
    };
    input.click();
  });
}

/** The rows of a run, column by column. */
export interface Rows {
  label: string;
  columns: readonly string[];
  values: (column: string) => Float64Array;
}

/** Rows of all runs as Parquet: a column `variant`, then those that the runs share; NaN where a run has no such column. */
export function parquet(runs: readonly Rows[]): ArrayBuffer {
  const names = [...new Set(runs.flatMap((run) => run.columns))];
  const length = (run: Rows): number => run.values("time").length;
  const all = (name: string): Float64Array => {
    const column = new Float64Array(runs.reduce((sum, run) => sum + length(run), 0)).fill(NaN);
    let start = 0;
    for (const run of runs) {
      column.set(run.values(name), start);
      start += length(run);
    }
    return column;
  };
  return parquetWriteBuffer({
    columnData: [
      { name: "variant", data: runs.flatMap((run) => Array.from({ length: length(run) }, () => run.label)), type: "STRING", nullable: false },
      ...names.map((name) => ({ name, data: all(name), type: "DOUBLE" as const, nullable: false })),
    ],
  });
}

/** Rows of all runs as CSV: a column `variant`, then those of the runs; empty where a run has no such column. */
export function csv(runs: readonly Rows[]): string {
  const names = [...new Set(runs.flatMap((run) => run.columns))];
  // A text that a spreadsheet would take for a formula stands behind an apostrophe.
  const plain = (text: string): string => text.replace(/^(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])/, "'$&");
  const rows = [csvFormatRow(["variant", ...names].map(plain))];
  for (const run of runs) {
    const columns = names.map((name) => run.values(name));
    const label = csvFormatRow([plain(run.label)]);
    // Numbers need no quotation marks.
    for (let row = 0; row < (columns[0]?.length ?? 0); row++) rows.push([label, ...columns.map((column) => column[row] ?? "")].join(","));
  }
  return rows.join("\n") + "\n";
}
