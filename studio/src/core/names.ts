/** Names that follow what is shown: what an author called a scenario and its variants, as long as they are that. */
import { disciplineTitle, textOf, type Json, type Resolved, type Table } from "./scenario";

/** Changes that are told; of more, their number. */
const TOLD = 3;

/** The label of a variant as it is now; `first` is the same variant as it was opened. */
export function labelOf(one: Resolved, first: Resolved | undefined): string {
  if (!first) return one.label;
  if (one.discipline !== first.discipline) return disciplineTitle(one.discipline);
  const changed = differences(first.parameters, one.parameters);
  return changed.length > 0 ? `${first.label}, ${listed(changed)}` : first.label;
}

/** Lists what is no more as it was opened, besides the queue that has a label: `rate 10 Mbit/s`, `cubic count 40`. */
export function changesOf(one: Resolved, first: Resolved | undefined): string[] {
  if (!first) return [];
  return differences(without(first), without(one)).map((text) => text.replace(/^(links|flows)\./, "").replace(new RegExp(`^${one.port.link} `), ""));
}

/** A title, and what has changed since it was written. */
export function titleOf(title: string, changes: readonly string[]): string {
  return changes.length > 0 ? `${title} (now ${listed(changes)})` : title;
}

function listed(changes: readonly string[]): string {
  const more = changes.length - TOLD;
  return [...changes.slice(0, TOLD), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** The values of a variant without its own queue, its changes, and what concerns its measuring. */
function without({ values, port }: Resolved): Table {
  const { links, flows } = values as { links?: Table; flows?: Table };
  const own = { ...((links?.[port.link] ?? {}) as Table) };
  if (port.direction === "forward") delete own.queue;
  else own.reverse = { ...(own.reverse as Table), queue: null };
  return { links: { ...links, [port.link]: own }, flows: flows ?? {} };
}

/** A table of one key is a choice, such as `{ cubic = {} }`: another key is one difference, whatever is below it. */
function isChoice(value: Json | undefined): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 1;
}

function keyOf(choice: Table): string {
  return Object.keys(choice)[0] ?? "";
}

/** Leaves that differ, as `path value` with the last two keys of the path. */
function differences(before: Json | undefined, after: Json | undefined, path: readonly string[] = []): string[] {
  if (isChoice(before) && isChoice(after) && keyOf(before) !== keyOf(after)) return [`${path.at(-1) ?? ""} ${keyOf(after)}`];
  const tables = [before, after].map((one) => (typeof one === "object" && one !== null && !Array.isArray(one) ? one : undefined));
  if (!tables[0] && !tables[1]) return JSON.stringify(before) === JSON.stringify(after) ? [] : [`${path.slice(-2).join(" ")} ${textOf(after) || "none"}`];
  const names = new Set([...Object.keys(tables[0] ?? {}), ...Object.keys(tables[1] ?? {})]);
  return [...names].flatMap((name) => differences(tables[0]?.[name], tables[1]?.[name], [...path, name]));
}
