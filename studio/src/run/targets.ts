/** Where a queue discipline holds its queue, and between which levels it signals: those of the one that runs. */
import { changesRate, packetRate } from "../core/rates";
import { allDisciplines, at, type Parameter, type Resolved, type Table } from "../core/scenario";
import { parseQuantity } from "../core/units";

/** A level of the queue, in mean packets or as a time (s). */
export interface Goal {
  /** As the parameter is called, or what it is. */
  name: string;
  packets: number | undefined;
  seconds: number | undefined;
}

/** Parts of parameters in the rule of a discipline that are levels of its queue. */
const ROLES = ["delay", "queue", "first", "last"];

/** Since each frame asks for it. */
const known = new WeakMap<Resolved, readonly Goal[]>();

/** All levels of the discipline of a variant. */
export function goals(one: Resolved): readonly Goal[] {
  let found = known.get(one);
  if (!found) known.set(one, (found = read(one)));
  return found;
}

function read(one: Resolved): Goal[] {
  const band = one.port.band_packets;
  // It moves its levels: what its parameters say is not what it holds.
  if (band) return band.map((packets) => ({ name: "target", packets, seconds: undefined }));
  return levels(one, one.discipline, one.parameters);
}

/** Levels of a discipline, or of the AQM in it. */
function levels(one: Resolved, discipline: string, parameters: Table): Goal[] {
  const own = (allDisciplines().get(discipline)?.parameters ?? []).flatMap((parameter) => level(one, parameter, parameters));
  const inner = Object.entries((at(parameters, ["aqm"]) ?? {}) as Table)[0];
  return inner ? [...own, ...levels(one, inner[0], inner[1] as Table)] : own;
}

function level(one: Resolved, { name, role }: Parameter, parameters: Table): Goal[] {
  const roles = role?.split(" ") ?? [];
  const found = roles.some((each) => ROLES.includes(each)) ? parseQuantity(at(parameters, [name])) : undefined;
  if (!found) return [];
  const isTarget = roles.includes("delay") || roles.includes("queue");
  const packets = found.base === "packets" ? found.value : found.base === "B" ? found.value / one.port.mean_packet_bytes : undefined;
  return [{ name: isTarget ? "target" : name, packets, seconds: packets === undefined ? found.value : undefined }];
}

/** A level in seconds of sojourn time, at the rate in force at `time`. */
export function delayOf(one: Resolved, { packets, seconds }: Goal, time: number): number {
  return packets === undefined ? (seconds ?? NaN) : packets / packetRate(one, time);
}

/** A level in mean packets that wait, at the rate in force at `time`. */
export function packetsOf(one: Resolved, { packets, seconds }: Goal, time: number): number {
  return packets ?? (seconds ?? NaN) * packetRate(one, time);
}

/** Returns true if the sojourn time of some level changes with the rate. */
export function changesGoals(one: Resolved): boolean {
  return changesRate(one) && goals(one).some(({ packets }) => packets !== undefined);
}
