/** The state of the page in the fragment of its address. Nothing is sent anywhere. */

export interface Shared {
  text: string;
  /** The variants that are shown, by name; null is the scenario without a variant. */
  shown: (string | null)[];
  /** Simulated seconds per second; null is as fast as it goes. */
  speed: number | null;
  /** The entry that the text began as, by its id. */
  from?: string;
  /** The variable of the second plot. */
  inner?: string;
  /** The time that plots show (s); 0 follows the speed. */
  span?: number;
  /** True if a control changes the whole run. */
  whole?: boolean;
  /** True while the page shows how each queue decides. */
  mechanism?: boolean;
}

/** The speed at which the page begins. */
export const USUAL_SPEED = 5;
/** The variable of the second plot at first. */
export const USUAL_INNER = "signals";

/** Bytes of what a link may hold: a scenario of ten thousand lines is a tenth of it, and a page that is sent a bomb lives on. */
const MOST = 4 * 1024 * 1024;

async function through(bytes: Uint8Array<ArrayBuffer>, stream: GenericTransformStream): Promise<Uint8Array<ArrayBuffer>> {
  const piped = new Blob([bytes]).stream().pipeThrough<Uint8Array>(stream);
  const reader = piped.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MOST) {
      await reader.cancel();
      throw tooMuch();
    }
    parts.push(value);
  }
  const whole = new Uint8Array(size);
  let start = 0;
  for (const part of parts) {
    whole.set(part, start);
    start += part.length;
  }
  return whole;
}

/** A link that says that it shares a scenario, and does not. */
export class RefusedLink extends Error {}

function tooMuch(): RefusedLink {
  return new RefusedLink(`it holds more than ${MOST / 1024 / 1024} MB`);
}

/** The fragment without "#": deflate, then base64url. Throws a `RefusedLink` for a state that no link may hold. */
export async function encode(state: Shared): Promise<string> {
  return "s=" + (await pack(JSON.stringify(state)));
}

/** A text as the letters of an address. Throws a `RefusedLink` for one that no link may hold. */
export async function pack(text: string): Promise<string> {
  const plain = new TextEncoder().encode(text);
  if (plain.length > MOST) throw tooMuch();
  const packed = await through(plain, new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of packed) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The text that `pack` wrote. Throws a `RefusedLink`. */
export async function unpack(written: string): Promise<string> {
  try {
    const letters = atob(written.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
  } catch (error) {
    throw error instanceof RefusedLink ? error : new RefusedLink("it is cut off or changed");
  }
}

/**
 * Decodes a fragment that `encode` wrote. Undefined for one that is no such link; throws a `RefusedLink` for one that
 * cannot be read.
 */
export async function decode(fragment: string): Promise<Shared | undefined> {
  const written = /^#?s=(.*)$/s.exec(fragment)?.[1];
  if (written === undefined) return undefined;
  try {
    const { text, shown, speed, from, inner, span, whole, mechanism } = JSON.parse(await unpack(written)) as Partial<Shared>;
    if (typeof text !== "string" || !Array.isArray(shown) || !shown.every((name) => name === null || typeof name === "string"))
      throw new RefusedLink("it holds no scenario");
    return {
      text,
      shown,
      speed: typeof speed === "number" && speed > 0 ? speed : null,
      ...(typeof from === "string" ? { from } : {}),
      ...(typeof inner === "string" ? { inner } : {}),
      ...(typeof span === "number" && span >= 0 ? { span } : {}),
      ...(whole === true ? { whole } : {}),
      ...(mechanism === true ? { mechanism } : {}),
    };
  } catch (error) {
    throw error instanceof RefusedLink ? error : new RefusedLink("it is cut off or changed");
  }
}
