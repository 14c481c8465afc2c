/** The target of a queue discipline, where it has one. */
import { allDisciplines, at, type Resolved } from "../core/scenario";
import { parseQuantity } from "../core/units";

/** Since each frame asks for it. */
const known = new WeakMap<Resolved, number | undefined>();

/** In seconds of sojourn time. */
export function targetDelay(one: Resolved): number | undefined {
  if (!known.has(one)) known.set(one, read(one));
  return known.get(one);
}

function read({ discipline, parameters, port }: Resolved): number | undefined {
  const parameter = allDisciplines().get(discipline)?.parameters.find(({ role }) => role === "delay" || role === "queue");
  const target = parameter && parseQuantity(at(parameters, [parameter.name]));
  if (target?.base === "packets") return (target.value * port.mean_packet_bytes * 8) / port.rate_bps;
  if (target?.base === "B") return (target.value * 8) / port.rate_bps;
  return target?.value;
}
