/** QR codes of links, for a class. */
import { encode } from "uqr";

/** Bytes that a QR code holds at most, with the weakest correction of errors (ISO/IEC 18004: version 40, level L). */
export const MOST_BYTES = 2953;

/** The code as squares: modules on a side, with the margin of four that readers need, and the path of an SVG. */
export interface Code {
  size: number;
  path: string;
}

/** The QR code of a text; undefined if the text is too long for one. */
export function code(text: string): Code | undefined {
  if (new TextEncoder().encode(text).length > MOST_BYTES) return undefined;
  const { data, size } = encode(text, { ecc: "L", border: 4 });
  const rows = data.flatMap((row, y) => row.flatMap((dark, x) => (dark && !row[x - 1] ? `M${x} ${y}h${run(row, x)}v1h-${run(row, x)}z` : [])));
  return { size, path: rows.join("") };
}

/** Dark modules from `start` on, without a gap. */
function run(row: readonly boolean[], start: number): number {
  const end = row.indexOf(false, start);
  return (end < 0 ? row.length : end) - start;
}
