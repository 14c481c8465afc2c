/** Values that controls offer: scales of sliders, and what a choice needs or why it is refused. All by the core. */
import { needs as needsOf, Scenario, SliderScale, span } from "../../pkg/weir_wasm.js";
import { problemOf } from "./protocol";
import { allDisciplines, at, edit, linkPath, textOf, within, type Group, type Json, type Parameter, type Resolved } from "./scenario";
import { parseQuantity, rateText } from "./units";

/** The values of a slider. */
export interface Scale {
  /** Keys that it sets, as the text has them. */
  paths: string[];
  value: number;
  low: number;
  high: number;
  log: boolean;
  whole: boolean;
  /** A logarithm is that of the excess over this: a base that is just above 1. */
  offset: number;
  /** Unit of the values; empty for a number. */
  base: string;
  /** Unit as it is written. */
  unit: string;
  standard: number | undefined;
  /** The range that the authors recommend, in the unit of the values. */
  published: { from: number; to: number } | undefined;
}

/** A slider reaches so many times below and above its middle. */
const REACH = 100;
/** From this part of the highest value on, a number that has one lives on a line, not on a logarithm. */
const ON_A_LINE = 0.5;
/** A number this near above 1 is a base: what counts is its excess. */
const NEAR_ONE = 1.1;

function scale(paths: string[], value: number, low: number, high: number, base: string, more: Partial<Scale> = {}): Scale {
  const ends = { low: Math.min(low, value), high: Math.max(high, value) };
  return { paths, value, ...ends, log: true, whole: base === "packets" || base === "B", offset: 0, base, unit: base, standard: undefined, published: undefined, ...more };
}

const written = (one: Resolved, keys: string[]): Json | undefined => at(one.values, keys);

export function rateScale({ port }: Resolved): Scale {
  return scale([`${port.key}.rate`], port.rate_bps, 1e6, 1e9, "bit/s");
}

export function bufferScale({ port }: Resolved): Scale {
  const packets = port.limit_packets ?? (port.limit_bytes ?? 0) / port.mean_packet_bytes;
  return scale([`${port.key}.buffer`], packets, 1, 10_000, "packets", { standard: port.bdp_packets });
}

/** The text of the rate, as it stands. */
export function rateWritten(one: Resolved): string {
  return textOf(written(one, [...linkPath(one.port), "rate"])) || rateText(one.port.rate_bps);
}

/** Round-trip times of these groups, together. */
export function rttScale(groups: readonly Group[]): Scale {
  return scale(groups.map(({ key }) => `${key}.rtt`), groups[0]?.rtt_s ?? 0, 1e-3, 1, "s");
}

/** The kind of traffic of a group. */
export function trafficOf(one: Resolved, group: Group): string {
  return Object.keys((written(one, ["flows", group.name, "traffic"]) as object | undefined) ?? { bulk: {} })[0] ?? "";
}

/** The number of flows; none where arrivals say it. */
export function countScale(one: Resolved, group: Group): Scale | undefined {
  const count = parseQuantity(written(one, ["flows", group.name, "count"]));
  if (!count || trafficOf(one, group) === "poisson") return undefined;
  return scale([`${group.key}.count`], count.value, 1, 1000, "", { whole: true });
}

export function sourceRateScale(one: Resolved, group: Group): Scale | undefined {
  const rate = parseQuantity(written(one, ["flows", group.name, "traffic", "cbr", "rate"]));
  return rate && scale([`${group.key}.traffic.cbr.rate`], rate.value, 1e4, 1e8, "bit/s");
}

export function loadScale(one: Resolved, group: Group): Scale | undefined {
  const load = parseQuantity(written(one, ["flows", group.name, "traffic", "poisson", "load"]));
  return load && scale([`${group.key}.traffic.poisson.load`], load.value, 0.01, 1.5, "", { log: false });
}

/**
 * Values of a parameter at `path`, about the middle of what is recommended, or else about its default. `middleOf` gives
 * the middle of one that has neither.
 */
function parameterScale(one: Resolved, parameter: Parameter, path: string, middleOf: (value: number) => number): Scale | undefined {
  if (!["number", "integer", "quantity"].includes(parameter.kind)) return undefined;
  const now = parseQuantity(at(one.parameters, parameter.name.split(".")));
  if (!now) return undefined;
  const fallback = parseQuantity(parameter.fallback);
  const published = publishedOf(one, parameter);
  const middle = published ? Math.sqrt(published.from * published.to) : (fallback?.value || middleOf(now.value));
  if (!(middle > 0)) return undefined;
  const whole = parameter.kind === "integer" || now.base === "packets" || now.base === "B";
  const [least, most] = [parameter.least ?? 0, parameter.most ?? Infinity];
  const more = { whole, unit: now.unit || fallback?.unit || "", standard: fallback?.value, published };
  if (most < Infinity && !whole && middle >= ON_A_LINE * most) return scale([path], now.value, least, most, now.base, { ...more, log: false });
  const offset = now.base === "" && !whole && middle > 1 && middle < NEAR_ONE ? 1 : 0;
  const short = (part: number): number => offset + Number(((middle - offset) * part).toPrecision(2));
  let [low, high] = [short(1 / REACH), short(REACH)];
  if (whole) [low, high] = [Math.max(1, Math.round(low)), Math.round(high)];
  return scale([path], now.value, Math.max(least, low), Math.min(most, high), now.base, { ...more, offset });
}

/** Parameters with a slider; `middleOf` gives the middle of the one of this name. Those that have no effect are left out. */
export function sliders(one: Resolved, middleOf: (name: string, value: number) => number): [Parameter, Scale][] {
  const path = within(one.variant, `${one.port.key}.queue.${one.discipline}`);
  const all = (allDisciplines().get(one.discipline)?.parameters ?? []).flatMap((parameter): [Parameter, Scale][] => {
    const found = parameterScale(one, parameter, `${path}.${parameter.name}`, (value) => middleOf(parameter.name, value));
    return found ? [[parameter, found]] : [];
  });
  return all.filter(([{ name }]) => !all.some(([other]) => other.replaces.includes(name)));
}

function publishedOf(one: Resolved, { published }: Parameter): { from: number; to: number } | undefined {
  const whole = published?.of === undefined ? 1 : parseQuantity(one.parameters[published.of])?.value;
  return published && whole !== undefined ? { from: published.from * whole, to: published.to * whole } : undefined;
}

const names = (shown: readonly (string | null)[]): string[] => shown.flatMap((name) => name ?? []);

/** The part of a scale in which the scenario is valid. */
export function fitted(text: string, shown: readonly (string | null)[], one: Scale): Scale {
  const values = new SliderScale(one.low, one.high, one.log && one.offset === 0, one.whole, one.base);
  const ends = span(text, one.paths, names(shown), values, one.value);
  values.free();
  return { ...one, low: ends[0] ?? one.low, high: ends[1] ?? one.high };
}

/** A value that another one needs beside it: null takes the key away. */
export interface Need {
  path: string;
  value: string | null;
  /** In words. */
  name: string;
}

/** Values that `value` at `path` needs and that are not there. */
export function needed(text: string, path: string, value: string, shown: readonly (string | null)[]): Need[] {
  return (JSON.parse(needsOf(text, path, value, names(shown))) as [string, string | null, string][]).map(([path, value, name]) => ({ path, value, name }));
}

/** Words for what a choice has brought; empty if nothing. */
export function toldNeeds(what: string, needs: readonly Need[]): string {
  return needs.length > 0 ? `${what} needs ${needs.map((need) => need.name).join(", ").replace(/, ([^,]*)$/, " and $1")}: set.` : "";
}

/** The text with these needs. */
export function withNeeds(text: string, needs: readonly Need[]): string {
  return needs.reduce((all, { path, value }) => edit(all, path, value ?? undefined), text);
}

/** The text with a value, and what it needs. */
export function withValue(text: string, path: string, value: string, shown: readonly (string | null)[]): string {
  return withNeeds(edit(text, path, value), needed(text, path, value, shown));
}

/** The text with another congestion control at the group of this key, and what that needs. */
export function withCongestion(text: string, group: string, name: string, shown: readonly (string | null)[]): string {
  const path = `${group}.tcp.congestion`;
  const needs = needed(text, `${path}.${name}`, "{}", shown);
  return withNeeds(edit(edit(text, path, undefined), `${path}.${name}`, "{}"), needs);
}

/** Why the simulator does not take a changed text, alone and with the variants that are shown; undefined if it does. */
export function refusal(shown: readonly (string | null)[], change: () => string): string | undefined {
  try {
    const text = change();
    for (const name of new Set([null, ...shown])) new Scenario(text, "scenario", name).free();
    return undefined;
  } catch (error) {
    return problemOf(error).message;
  }
}
