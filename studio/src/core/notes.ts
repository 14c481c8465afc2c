/** Notes of `weir check`: what a valid scenario has that may mislead. */
import { Scenario } from "../../pkg/weir_wasm.js";

export interface Note {
  code: string;
  severity: "note" | "warning";
  path: string;
  /** One sentence without its full stop. */
  message: string;
  /** A proposed change of the scenario. */
  hint: string;
}

/** A note, and the numbers of the variants that have it. */
export interface Shared {
  note: Note;
  places: number[];
}

/** Notes on the variants, in their order; each once, warnings first. Their numbers may differ: those of the first one stand. */
export function notesOf(text: string, variants: readonly (string | null)[]): Shared[] {
  const found = new Map<string, Shared>();
  variants.forEach((variant, place) => {
    const scenario = new Scenario(text, "scenario", variant);
    const notes = JSON.parse(scenario.notes()) as Note[];
    scenario.free();
    for (const note of notes) {
      const key = `${note.code} ${note.severity} ${note.path}`;
      const known = found.get(key);
      if (known) known.places.push(place);
      else found.set(key, { note, places: [place] });
    }
  });
  return [...found.values()].sort((one, other) => Number(other.note.severity === "warning") - Number(one.note.severity === "warning"));
}
