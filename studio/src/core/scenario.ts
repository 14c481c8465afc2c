/** The scenario of the page: its text, as the simulator reads it. */
import { edit, Scenario, schema as schemaText } from "../../pkg/weir_wasm.js";
import reference from "virtual:weir-reference";
import { parseQuantity } from "./units";

export { edit };

export interface Port {
  name: string;
  /** Its table as the text has it, to be edited: that of the row, in a row of links. */
  key: string;
  link: string;
  direction: "forward" | "reverse";
  /** At the start of the run. */
  rate_bps: number;
  delay_s: number;
  limit_packets: number | null;
  limit_bytes: number | null;
  mean_packet_bytes: number;
  largest_rtt_s: number;
  bdp_packets: number;
  /** The band of the average queue in which its AQM holds it, where that derives one. */
  band_packets: [number, number] | null;
  queue: string;
}

export interface Group {
  name: string;
  /** Its table as the text has it. */
  key: string;
  flows: number | null;
  rtt_s: number;
  packet_bytes: number;
  bottleneck: string;
}

export interface Network {
  ports: Port[];
  groups: Group[];
  bottleneck: string;
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Table = { [key: string]: Json };

/** A variant of a scenario with every default written out. */
export interface Resolved {
  variant: string | null;
  label: string;
  network: Network;
  /** Number of the queue that limits the flows, among the ports. */
  place: number;
  /** The queue that limits the flows. */
  port: Port;
  /** The rates of that queue: pairs of an instant (s) and the rate from then on (bit/s), the first at the start. */
  rates: Float64Array;
  discipline: string;
  parameters: Table;
  values: Table;
  warmUp: number;
}

export interface Reading {
  name: string;
  title: string;
  duration: number;
  variants: string[];
  seed: number;
}

const NAME = "scenario";

/** Reads a scenario, without its variants' networks. Throws a ScenarioError. */
export function read(text: string): Reading {
  const scenario = new Scenario(text, NAME);
  const { name, title, duration, variants, seed } = scenario;
  scenario.free();
  return { name, title, duration, variants, seed: Number(seed) };
}

/** A variant, or the scenario itself if `variant` is null. Throws a ScenarioError. */
export function resolve(text: string, variant: string | null): Resolved {
  const scenario = new Scenario(text, NAME, variant);
  const network = JSON.parse(scenario.network()) as Network;
  const values = JSON.parse(scenario.resolved()) as Table;
  const named = scenario.label;
  const place = Math.max(0, network.ports.findIndex((port) => port.name === network.bottleneck));
  const rates = scenario.rates(place);
  scenario.free();
  const port = network.ports[place]!;
  const queue = at(values, [...linkPath(port), "queue"]) ?? { "drop-tail": {} };
  const [discipline, parameters] = Object.entries(queue as Table)[0]!;
  const warmUp = parseQuantity(at(values, ["measure", "warm_up"]))?.value ?? 0;
  const label = named ?? disciplineTitle(discipline);
  return { variant, label, network, place, port, rates, discipline, parameters: parameters as Table, values, warmUp };
}

/** The keys of the table of a port. */
export function linkPath(port: Port): string[] {
  return port.direction === "reverse" ? ["links", port.link, "reverse"] : ["links", port.link];
}

/** The value at a path of keys. */
export function at(values: Json, keys: readonly string[]): Json | undefined {
  let found: Json | undefined = values;
  for (const key of keys) {
    if (typeof found !== "object" || found === null || Array.isArray(found)) return undefined;
    found = found[key];
  }
  return found;
}

/** A value as a person writes it; empty if there is none. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Where a value of a variant is written: in the variant, or in the scenario itself. */
export function within(variant: string | null, path: string): string {
  return variant === null ? path : `variants.${variant}.${path}`;
}

/** The text with another discipline, with its defaults, at the queue of `one`. */
export function withDiscipline(text: string, one: Resolved, discipline: string): string {
  const path = within(one.variant, `${one.port.key}.queue`);
  let changed = edit(text, path, undefined);
  changed = edit(changed, `${path}.${discipline}`, "{}");
  if (one.variant !== null) changed = edit(changed, `variants.${one.variant}.label`, JSON.stringify(disciplineTitle(discipline)));
  return changed;
}

/** The text with one more variant. */
export function withVariant(text: string, name: string, beside: Resolved, discipline: string): string {
  const labelled = edit(text, `variants.${name}.label`, JSON.stringify(disciplineTitle(discipline)));
  return edit(labelled, within(name, `${beside.port.key}.queue.${discipline}`), "{}");
}

// The schema.

export interface Parameter {
  name: string;
  kind: "number" | "integer" | "boolean" | "choice" | "quantity" | "other";
  help: string;
  /** As in the schema; undefined if it follows from the network. */
  fallback: Json | undefined;
  /** In words. */
  source: string;
  choices: string[];
  /** Bounds of the schema. */
  least: number | undefined;
  most: number | undefined;
  published: Published | undefined;
  /** Its part in the rule of the discipline, such as "delay" for a target delay. */
  role: string | undefined;
  /** Parameters that have no effect where this one is written. */
  replaces: string[];
}

/** The range that the authors recommend; with `of`, as parts of the value of that parameter. */
export interface Published {
  from: number;
  to: number;
  of?: string;
  source: string;
}

export interface Discipline {
  name: string;
  title: string;
  help: string;
  parameters: Parameter[];
}

export function disciplineTitle(name: string): string {
  return reference.disciplines[name]?.title ?? name;
}

export type Definition = {
  $ref?: string;
  anyOf?: Definition[];
  oneOf?: Definition[];
  type?: string;
  const?: string;
  description?: string;
  properties?: Record<string, Definition>;
  default?: Json;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  "x-default"?: string;
  "x-default-source"?: string;
  "x-published"?: Published;
  "x-role"?: string;
  "x-replaces"?: string[];
};

let definitions: Record<string, Definition> | undefined;

/** Definitions of the schema by name. */
export function schemaDefinitions(): Record<string, Definition> {
  definitions ??= (JSON.parse(schemaText()) as { $defs: Record<string, Definition> }).$defs;
  return definitions;
}

let disciplines: Map<string, Discipline> | undefined;
let controls: CongestionControl[] = [];

/** All disciplines that run in the browser, in the order of the schema. */
export function allDisciplines(): Map<string, Discipline> {
  if (disciplines) return disciplines;
  const defined = schemaDefinitions();
  const follow = (one: Definition): Definition => {
    const inner = one.anyOf?.[0] ?? one;
    const found = inner.$ref ? defined[inner.$ref.replace("#/$defs/", "")] : undefined;
    return found ? { ...found, ...one } : { ...inner, ...one };
  };
  disciplines = new Map();
  for (const option of defined.QueueConfig?.oneOf ?? []) {
    const [name, definition] = Object.entries(option.properties ?? {})[0] ?? [];
    if (!name || !definition || name === "python") continue;
    const body = follow(definition);
    const parameters = Object.entries(body.properties ?? {}).flatMap(([key, raw]) => {
      const full = follow(raw);
      const source = body["x-default-source"];
      // A table that may be left out, such as `design`: what is in it, in place of what it replaces.
      const inner = Object.entries(full.properties ?? {});
      if (inner.length === 0) return parameterOf(key, raw, full, source);
      const replaces = raw["x-replaces"] ?? [];
      return inner.map(([name, of]) => ({ ...parameterOf(`${key}.${name}`, of, follow(of), source), replaces }));
    });
    const help = oneLine(option.description);
    disciplines.set(name, { name, title: disciplineTitle(name), help, parameters });
  }
  controls = (defined.CongestionConfig?.oneOf ?? []).flatMap((option) =>
    Object.keys(option.properties ?? {}).map((name) => ({ name, title: reference.controls[name]?.title ?? name, help: oneLine(option.description) })),
  );
  return disciplines;
}

export interface CongestionControl {
  name: string;
  title: string;
  help: string;
}

/** The kinds of congestion control. */
export function congestionControls(): CongestionControl[] {
  allDisciplines();
  return controls;
}

function oneLine(text = ""): string {
  return text.replaceAll("\n", " ");
}

function parameterOf(name: string, raw: Definition, full: Definition, source = ""): Parameter {
  const choices = (full.oneOf ?? []).flatMap((option) => (typeof option.const === "string" ? [option.const] : []));
  let kind: Parameter["kind"] = "other";
  if (full.type === "boolean") kind = "boolean";
  else if (full.type === "number") kind = "number";
  else if (full.type === "integer") kind = "integer";
  else if (full.type === "string" && full.pattern) kind = "quantity";
  else if (choices.length > 0) kind = "choice";
  const from = raw["x-default-source"] ?? source;
  return {
    name,
    kind,
    help: oneLine(raw.description),
    fallback: raw.default,
    source: raw["x-default"] ?? from,
    choices,
    least: full.minimum,
    most: full.maximum,
    published: raw["x-published"],
    role: raw["x-role"],
    replaces: [],
  };
}
