/** The target of a queue discipline, where it has one. */
import { at, type Resolved } from "../core/scenario";
import { parseQuantity } from "../core/units";

/** Since each frame asks for it. */
const known = new WeakMap<Resolved, number | undefined>();

/** In seconds of sojourn time. */
export function targetDelay(one: Resolved): number | undefined {
  if (!known.has(one)) known.set(one, read(one));
  return known.get(one);
}

function read(one: Resolved): number | undefined {
  const { port } = one;
  for (const name of ["target", "q_ref", "target_delay"]) {
    const found = parseQuantity(at(one.parameters, [name]));
    if (!found) continue;
    if (/s$/.test(found.unit) && !/packet/.test(found.unit)) return found.value;
    if (/packet/.test(found.unit)) return (found.value * port.mean_packet_bytes * 8) / port.rate_bps;
    if (/B$/.test(found.unit)) return (found.value * 8) / port.rate_bps;
  }
  return undefined;
}
