/** Quantities as people write them: three significant digits and a unit. */

const PREFIXES: [number, string][] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

/** Three significant digits, without an exponent; "–" if it is no number. */
export function digits(value: number, count = 3): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const decimals = Math.min(8, Math.max(0, count - 1 - Math.floor(Math.log10(Math.abs(value)))));
  const rounded = Number(value.toPrecision(count));
  return rounded.toFixed(Math.abs(rounded) >= 10 ** (count - 1) ? 0 : decimals);
}

/** Without zeros at the end. */
function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}

export function rateText(bitsPerSecond: number): string {
  const [factor, prefix] = PREFIXES.find(([factor]) => bitsPerSecond >= factor) ?? [1, ""];
  return `${short(bitsPerSecond / factor)} ${prefix}bit/s`;
}

export function durationText(seconds: number): string {
  if (seconds >= 1 || seconds === 0) return `${short(seconds)} s`;
  if (seconds >= 1e-3) return `${short(seconds * 1e3)} ms`;
  return `${short(seconds * 1e6)} us`;
}

const UNITS: Record<string, number> = {
  min: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9,
  "bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, bit: 1, kbit: 1e3, Mbit: 1e6, mbit: 1e6, Gbit: 1e9, gbit: 1e9,
  packets: 1, packet: 1, B: 1, kB: 1e3, MB: 1e6, KiB: 1024, MiB: 1024 ** 2, BDP: 1,
}; // prettier-ignore

export interface Quantity {
  /** In seconds, bit/s, packets, bytes or BDP. */
  value: number;
  /** As written; empty if there is none. */
  unit: string;
}

/** A number, or a text such as "5 ms". Undefined if it is neither. */
export function parseQuantity(written: unknown): Quantity | undefined {
  if (typeof written === "number") return { value: written, unit: "" };
  if (typeof written !== "string") return undefined;
  const parts = /^\s*\+?([0-9][0-9_.]*(?:e[+-]?\d+)?)\s*([A-Za-zµ/]*)\s*$/.exec(written);
  if (!parts) return undefined;
  const [, number = "", unit = ""] = parts;
  const factor = unit === "" ? 1 : UNITS[unit];
  return factor === undefined ? undefined : { value: Number(number.replaceAll("_", "")) * factor, unit };
}

/** A value as TOML text in the kind of unit of `like`. */
export function quantityText(value: number, like: string): string {
  if (/bit/.test(like)) return rateText(value);
  if (/^(min|s|ms|us|µs|ns)$/.test(like)) return durationText(value);
  if (like === "BDP") return `${short(value)} BDP`;
  if (/^packets?$/.test(like)) return `${short(value)} packets`;
  if (/B$/.test(like)) return `${short(value / UNITS[like]!)} ${like}`;
  return short(value);
}
