/** Files that the page writes and reads. */

/** Hands a file to the person. */
export function save(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The text of a file that the person chooses. */
export function open(accept: string): Promise<string> {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = accept;
    input.onchange = () => void input.files?.[0]?.text().then(resolve);
    input.click();
  });
}

/** Rows of all runs as CSV: a column `variant`, then those that the runs share. */
export function csv(runs: { label: string; columns: readonly string[]; values: (column: string) => Float64Array }[]): string {
  const names = [...new Set(runs.flatMap((run) => run.columns))];
  const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [["variant", ...names].map(quoted).join(",")];
  for (const run of runs) {
    const columns = names.map((name) => run.values(name));
    const label = quoted(run.label);
    for (let row = 0; row < (columns[0]?.length ?? 0); row++) lines.push([label, ...columns.map((column) => column[row] ?? "")].join(","));
  }
  return lines.join("\n") + "\n";
}
