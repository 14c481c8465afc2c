/** Quantities as people write them: three significant digits and a unit. */
import { quantity } from "../../pkg/weir_wasm.js";

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

/** A count with its noun: `1 packet`, `2 packets`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A text without the backticks around keys and values, for where it cannot be marked up. */
export function unquoted(text: string): string {
  return text.replaceAll("`", "");
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

export interface Quantity {
  value: number;
  /** Unit of `value`: s, bit/s, packets, B or BDP; empty for a number. */
  base: string;
  /** Unit as written. */
  unit: string;
}

/** A number, or a text such as "5 ms". Undefined if it is neither. */
export function parseQuantity(written: unknown): Quantity | undefined {
  if (typeof written === "number") return { value: written, base: "", unit: "" };
  const read = typeof written === "string" ? quantity(written) : undefined;
  if (read === undefined) return undefined;
  const [value, base] = JSON.parse(read) as [number, string];
  return { value, base, unit: String(written).replace(/^\P{L}+/u, "").trim() };
}

/** A typed text; a number alone has the unit of the text that stands there. */
export function withUnit(typed: string, there: string): string {
  const plain = typed.trim();
  const unit = parseQuantity(there)?.unit ?? "";
  return unit === "" || plain === "" || !Number.isFinite(Number(plain)) ? plain : quantityWritten(Number(plain), unit);
}

/** A number of this unit, as it is written. */
function quantityWritten(value: number, unit: string): string {
  return `${short(value)} ${unit === "packet" && value !== 1 ? "packets" : unit === "packets" && value === 1 ? "packet" : unit}`;
}

/** A value as TOML text in the kind of unit of `like`. */
export function quantityText(value: number, like: string): string {
  const one = parseQuantity(`1 ${like}`);
  if (one === undefined) return short(value);
  if (one.base === "bit/s") return rateText(value);
  if (one.base === "s") return durationText(value);
  return one.base === "B" ? `${short(value / one.value)} ${like}` : `${short(value)} ${one.base}`;
}
