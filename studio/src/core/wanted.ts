/** The scenario that a fragment of the address asks for. */
import { entry } from "./entry";
import { learn, OWN } from "./lessons";
import { problemOf } from "./protocol";
import { decode, RefusedLink, type Shared } from "./share";

export type Wanted = { id: string } | { state: Shared };

/** A name that this page does not have. */
export class UnknownName extends RefusedLink {}

/** The id of the entry that is open without a fragment. */
export const START_ID = "start";

/** Learns somebody's own lesson. Throws a `RefusedLink`. */
async function learnt(id: string): Promise<void> {
  try {
    await learn(id);
  } catch (error) {
    throw error instanceof RefusedLink ? error : new RefusedLink(`its lesson has an error: ${problemOf(error).message}`);
  }
}

/** Reads a fragment. Throws a `RefusedLink`, or an `UnknownName`. */
export async function wanted(fragment: string): Promise<Wanted> {
  const state = await decode(fragment);
  if (state?.from?.startsWith(OWN)) await learnt(state.from);
  if (state) return { state };
  const written = fragment.replace(/^#/, "");
  if (written.startsWith(OWN)) {
    await learnt(written);
    return { id: written };
  }
  let id: string;
  try {
    id = decodeURIComponent(written) || START_ID;
  } catch {
    throw new UnknownName("it is no text");
  }
  if (!entry(id)) throw new UnknownName(`this page has nothing named ${id.length > 60 ? `${id.slice(0, 60)} …` : id}`);
  return { id };
}
