/** How each queue decides: what its picture shows, all of it from the simulator. A mechanism without its data is left out. */
import { at, type Resolved } from "../core/scenario";
import { digits, parseQuantity } from "../core/units";
import type { Mechanism } from "../core/protocol";
import type { Ring } from "./ring";
import { shownAt, type View } from "./run";
import { delayOf, goals } from "./targets";

/**
 * A picture of a mechanism. *lanes* are several queues, *curve* is a probability over a variable. *next* is the time of
 * the next signal, *probability* the output of a controller over time.
 */
export type Kind = "lanes" | "curve" | "next" | "probability";

/** Numbers of a queue in `Mechanism.queues`, behind the number of all and their packets. */
const [HEAD, WIDTH] = [2, 5];
/** Variables of controllers that are probabilities. */
const PROBABILITIES = ["probability", "p_C", "p_CL", "p_drop", "highest"];

const known = new WeakMap<Ring, { classes: string[]; groups: string[] }>();

/** Classes of packets at the bottleneck, and groups of flows if there are several: those with columns of their own. */
export function partsOf({ ring, port }: Pick<View, "port" | "ring">): { classes: string[]; groups: string[] } {
  const named = (before: string): string[] => ring.columns.flatMap((name) => (name.startsWith(before) && name.endsWith(".waited") ? [name.slice(before.length, -".waited".length)] : []));
  let found = known.get(ring);
  if (!found) known.set(ring, (found = { classes: named(`${port}class.`), groups: named(`${port}group.`) }));
  return found;
}

/** The value of a variable of the bottleneck at the instant that is shown; NaN if it has none. */
export function variable(view: View, name: string): number {
  const { ring, port } = view;
  return ring.value(port + name, ring.at(shownAt(view)));
}

/** The classes of the discipline that is there at the instant that is shown. */
function classesOf(view: View): string[] {
  return partsOf(view).classes.filter((name) => !Number.isNaN(variable(view, `class.${name}.queue`)));
}

/** The mechanism of the instant that is shown, if it is known: it is that of the newest instant of a run. */
export function mechanismOf(view: View): Mechanism | undefined {
  return view.mechanism && Math.abs(view.mechanism.at - shownAt(view)) < 1e-8 ? view.mechanism : undefined;
}

/** Probabilities among the variables of a queue. */
export function probabilitiesOf(view: View): string[] {
  return PROBABILITIES.filter((name) => !Number.isNaN(variable(view, name)));
}

/** Returns true if each flow has a queue. */
export function hasFlows(view: View): boolean {
  return !Number.isNaN(variable(view, "fattest"));
}

/** The pictures of a queue, from above. */
export function kindsOf(view: View): Kind[] {
  const kinds: Kind[] = hasFlows(view) || classesOf(view).length > 0 ? ["lanes"] : [];
  // Variables of one AQM of many are means over them.
  if (hasFlows(view)) return kinds;
  if (!Number.isNaN(variable(view, "drop_next"))) return [...kinds, "next"];
  if (view.mechanism?.variable) return [...kinds, "curve"];
  return probabilitiesOf(view).length > 0 ? [...kinds, "probability"] : kinds;
}

/** Packets of one flow, or of one class without queues of flows, in a lane. */
export interface Part {
  packets: number;
  /** Number of the group, undefined if packets of several may be there. */
  group: number | undefined;
  /** It is served before the others. */
  isNew: boolean;
}

/** One of several queues. */
export interface Lane {
  name: string;
  packets: number;
  parts: Part[];
}

/** The queues of the bottleneck: a lane for each class, or for each of the longest queues of flows, in the order of the flows. */
export function lanesOf(view: View): Lane[] {
  const queues = mechanismOf(view)?.queues ?? new Float64Array();
  const parts: (Part & { of: number; flow: number })[] = [];
  for (let place = HEAD; place + WIDTH <= queues.length; place += WIDTH) {
    const [of, group, flow, packets, isNew] = queues.subarray(place, place + WIDTH) as unknown as [number, number, number, number, number];
    parts.push({ of, group, flow, packets, isNew: isNew === 1 });
  }
  parts.sort((one, other) => one.flow - other.flow);
  const classes = classesOf(view);
  if (classes.length === 0) return parts.map((part) => ({ name: `flow ${part.flow}`, packets: part.packets, parts: [part] }));
  return classes.map((name, number) => {
    const packets = variable(view, `class.${name}.queue`);
    const own = parts.filter(({ of }) => of === number);
    const rest = own.reduce((left, part) => left - part.packets, packets);
    return { name, packets, parts: rest > 0 ? [...own, { packets: rest, group: undefined, isNew: false }] : own };
  });
}

/** Queues of flows that are not among the lanes, and the packets in them. */
export function restOf(view: View): { queues: number; packets: number } {
  const [number = 0, packets = 0, ...shown] = mechanismOf(view)?.queues ?? [];
  let [queues, left] = [number, packets];
  for (let place = 0; place + WIDTH <= shown.length; place += WIDTH) {
    queues -= 1;
    left -= shown[place + 3]!;
  }
  return { queues, packets: left };
}

/** The mean delay of the packets that left between two rows (s); NaN if none did. */
export function delayAt({ ring, port }: Pick<View, "port" | "ring">, row: number): number {
  const [waited, departures] = [ring.whole(port + "waited"), ring.whole(port + "departures")];
  return row > 0 ? (waited[row]! - waited[row - 1]!) / (departures[row]! - departures[row - 1]!) : NaN;
}

/** The target of a queue as a delay at `time` (s); undefined if it has none. */
export function targetOf(resolved: Resolved, time: number): number | undefined {
  const target = goals(resolved).find(({ name }) => name === "target");
  return target && delayOf(resolved, target, time);
}

/** CoDel's `interval` (s). */
export function intervalOf({ parameters }: Resolved): number {
  return parseQuantity(at(parameters, ["interval"]))?.value ?? 0.1;
}

const percent = (value: number): string => `${digits(100 * value)}%`;
const ms = (value: number): string => `${digits(1e3 * Math.max(0, value))} ms`;

/** The state of a mechanism in words. */
export function told(view: View, kind: Kind): string {
  const time = shownAt(view);
  if (kind === "curve") {
    const found = mechanismOf(view);
    return found ? `${found.variable ?? ""} ${digits(found.dot[0] ?? NaN)}: probability ${percent(found.dot[1] ?? NaN)}` : "";
  }
  if (kind === "next") {
    const [dropping, next, first] = [variable(view, "dropping"), variable(view, "drop_next"), variable(view, "first_above_time")];
    if (dropping > 0) return `signal ${Math.round(variable(view, "count")) + 1} ${next > time ? `follows in ${ms(next - time)}` : "is due"}`;
    return first > 0 ? `above target: may signal in ${ms(first - time)}` : "below target";
  }
  if (kind === "probability") return probabilitiesOf(view).map((name) => `${name} ${percent(variable(view, name))}`).join(", ");
  const lanes = lanesOf(view);
  const { queues, packets } = restOf(view);
  if (classesOf(view).length > 0) return lanes.map((lane) => `${lane.name} ${lane.packets}`).join(", ") + " packets";
  return `${lanes.length + queues} queues` + (queues > 0 ? `; those not shown hold ${packets} packets` : "");
}
