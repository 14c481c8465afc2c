/** Moves: what a hand changed while the simulation ran, as the scenario's `changes`. */
import { edit_list as editList, parse } from "../../pkg/weir_wasm.js";
import { allDisciplines, at, edit, type Json, type Resolved, type Table, schemaDefinitions, within } from "./scenario";
import { durationText, parseQuantity } from "./units";

export interface Move {
  /** Simulated time (s). */
  at: number;
  /** A key that {@link isMovable} takes: `links.NAME.rate`. */
  path: string;
  value: Json;
  /** The variant that the move changes; null: all variants. */
  variant: string | null;
}

/** Returns true if the key may change in mid-run: what a change of the schema has. */
export function isMovable(path: string): boolean {
  const has = (table: string, key: string): boolean => schemaDefinitions()[table]?.properties?.[key] !== undefined;
  const [table, name, key, inner, ...rest] = path.split(".");
  if (name === undefined || key === undefined || rest.length > 0) return false;
  if (key === "reverse") return table === "links" && inner !== undefined && has("DirectionChange", inner);
  return inner === undefined && ((table === "links" && has("LinkChange", key)) || (table === "flows" && has("FlowsChange", key)));
}

/** The finest distance of two moves (s). */
const FINEST = 1e-4;

/** An instant as it can be written. */
export function instant(time: number): number {
  return Math.max(FINEST, Number((Math.round(time / FINEST) * FINEST).toFixed(4)));
}

function entries(list: Json | undefined, variant: string | null): Move[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((change) => {
    const moves: Move[] = [];
    const time = parseQuantity(at(change, ["at"]))?.value ?? NaN;
    const visit = (value: Json | undefined, path: string): void => {
      if (isMovable(path)) moves.push({ at: time, path, value: value!, variant });
      else if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        for (const [key, inner] of Object.entries(value)) if (path !== "" || key !== "at") visit(inner, path === "" ? key : `${path}.${key}`);
      }
    };
    visit(change, "");
    return moves;
  });
}

const same = (one: Move, other: Move): boolean => one.at === other.at && one.path === other.path && JSON.stringify(one.value) === JSON.stringify(other.value);

/** All moves in the text, in the order of time. The list of a variant stands for the common one: what both have is common. */
export function movesOf(text: string): Move[] {
  const tables = JSON.parse(parse(text)) as Table;
  const common = entries(tables.changes, null);
  const own = Object.entries((tables.variants ?? {}) as Table).flatMap(([variant, table]) =>
    entries(at(table, ["changes"]), variant).filter((move) => !common.some((other) => same(move, other))),
  );
  return [...common, ...own].sort((one, other) => one.at - other.at);
}

/** A value in TOML, on one line. */
export function toml(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${/^[\w-]+$/.test(key) ? key : JSON.stringify(key)} = ${toml(inner)}`);
  return pairs.length > 0 ? `{ ${pairs.join(", ")} }` : "{}";
}

/** Moves by their instant, in the order of time. */
function byInstant(moves: readonly Move[]): [time: number, moves: Move[]][] {
  const instants = new Map<number, Move[]>();
  for (const move of [...moves].sort((one, other) => one.at - other.at)) instants.set(move.at, [...(instants.get(move.at) ?? []), move]);
  return [...instants];
}

/** The changes of some moves, whatever their instant and order. */
const content = (moves: readonly Move[]): string => JSON.stringify(moves.map(({ path, value }) => `${path} ${JSON.stringify(value)}`).sort());

/** The text with these moves as the list at `path`, which is `old` now. Entries that stay, or only move, keep their comments. */
function withList(text: string, path: string, old: Json | undefined, moves: readonly Move[]): string {
  const former = (Array.isArray(old) ? old : []).map((change) => entries([change], null));
  const taken = new Set<number>();
  const take = (fits: (moves: Move[]) => boolean): number | undefined => {
    const found = former.findIndex((one, index) => !taken.has(index) && one.length > 0 && fits(one));
    if (found < 0) return undefined;
    taken.add(found);
    return found;
  };
  const wanted = byInstant(moves);
  const places = wanted.map(([time]) => take((one) => one[0]!.at === time));
  const list = wanted.map(([time, all], index) => {
    const at = JSON.stringify(durationText(time));
    const from = places[index];
    if (from !== undefined && content(former[from]!) === content(all)) return { from };
    const shifted = from === undefined ? take((one) => content(one) === content(all)) : undefined;
    if (shifted !== undefined) return { from: shifted, at };
    const values = new Map(all.map((move) => [move.path, move.value]));
    return { from, whole: `{ at = ${at}${[...values].map(([key, value]) => `, ${key} = ${toml(value)}`).join("")} }` };
  });
  return editList(text, path, JSON.stringify(list));
}

/** The text with these moves and no others. */
export function withMoves(text: string, moves: readonly Move[]): string {
  const tables = JSON.parse(parse(text)) as Table;
  const common = moves.filter((move) => move.variant === null);
  let changed = withList(text, "changes", tables.changes, common);
  for (const [name, table] of Object.entries((tables.variants ?? {}) as Table)) {
    const own = moves.filter((move) => move.variant === name);
    const old = at(table, ["changes"]);
    if (old === undefined && own.length === 0) continue;
    changed = withList(changed, `variants.${name}.changes`, old, own.length > 0 ? [...common, ...own] : []);
  }
  return changed;
}

/** The text as if the moves up to `time` had been there from the start: what controls show. */
export function textAt(text: string, moves: readonly Move[], time: number): string {
  let changed = withMoves(text, []);
  for (const move of moves) {
    if (move.at > time) break;
    const path = within(move.variant, move.path);
    // A queue replaces all of the other.
    if (move.path.endsWith(".queue")) changed = edit(changed, path, undefined);
    changed = edit(changed, path, toml(move.value));
  }
  return changed;
}

/** The queue of `one` with another value, as a move says it: whole, but for what is default. */
export function queueWith(one: Resolved, parameter: string, value: Json): Table {
  const known = allDisciplines().get(one.discipline)?.parameters ?? [];
  const kept = Object.entries(one.parameters).filter(([name, now]) => {
    const fallback = known.find((each) => each.name === name)?.fallback;
    return now !== null && JSON.stringify(now) !== JSON.stringify(fallback);
  });
  return { [one.discipline]: { ...Object.fromEntries(kept), [parameter]: value } };
}

/** A move in words. */
export function movedText(move: Move): string {
  const name = move.path.split(".").slice(1).join(" ");
  if (!move.path.endsWith(".queue")) return `${name} ${typeof move.value === "string" ? move.value : toml(move.value)}`;
  const [discipline, parameters] = Object.entries(move.value as Table)[0] ?? [];
  const all = Object.entries((parameters ?? {}) as Table).map(([key, value]) => `${key} ${typeof value === "string" ? value : toml(value)}`);
  return [discipline, ...all].join(" ");
}
