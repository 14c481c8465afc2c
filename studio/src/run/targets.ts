/** The target of a queue discipline, where it has one. */
import { changesRate, packetRate } from "../core/rates";
import { allDisciplines, at, type Resolved } from "../core/scenario";
import { parseQuantity, type Quantity } from "../core/units";

/** Since each frame asks for it. */
const known = new WeakMap<Resolved, Quantity | undefined>();

function target(one: Resolved): Quantity | undefined {
  if (!known.has(one)) known.set(one, read(one));
  return known.get(one);
}

function read({ discipline, parameters }: Resolved): Quantity | undefined {
  const parameter = allDisciplines().get(discipline)?.parameters.find(({ role }) => role === "delay" || role === "queue");
  return parameter && parseQuantity(at(parameters, [parameter.name]));
}

/** The target in mean packets; undefined if it is a delay. */
function packetsOf(one: Resolved): number | undefined {
  const found = target(one);
  if (found?.base === "packets") return found.value;
  return found?.base === "B" ? found.value / one.port.mean_packet_bytes : undefined;
}

/** The target in seconds of sojourn time, at the rate in force at `time`. */
export function targetDelay(one: Resolved, time: number): number | undefined {
  const packets = packetsOf(one);
  return packets === undefined ? target(one)?.value : packets / packetRate(one, time);
}

/** The target in mean packets that wait, at the rate in force at `time`. */
export function targetPackets(one: Resolved, time: number): number | undefined {
  const found = target(one);
  return found && (packetsOf(one) ?? found.value * packetRate(one, time));
}

/** Returns true if the sojourn time of the target changes with the rate. */
export function changesTarget(one: Resolved): boolean {
  return changesRate(one) && packetsOf(one) !== undefined;
}
