/** The state of the page in the fragment of its address. Nothing is sent anywhere. */

export interface Shared {
  text: string;
  /** The variants that are shown, by name; null is the scenario without a variant. */
  shown: (string | null)[];
  /** Simulated time (s) and speed; null is as fast as it goes. */
  speed: number | null;
}

async function through(bytes: Uint8Array<ArrayBuffer>, stream: GenericTransformStream): Promise<Uint8Array<ArrayBuffer>> {
  const piped = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** The fragment without "#": deflate, then base64url. */
export async function encode(state: Shared): Promise<string> {
  const packed = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of packed) letters += String.fromCharCode(byte);
  return "s=" + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** What `encode` wrote. Undefined for anything else. */
export async function decode(fragment: string): Promise<Shared | undefined> {
  const written = /^#?s=([\w-]+)$/.exec(fragment)?.[1];
  if (written === undefined) return undefined;
  try {
    const letters = atob(written.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const plain = new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
    const { text, shown, speed } = JSON.parse(plain) as Partial<Shared>;
    if (typeof text !== "string" || !Array.isArray(shown)) return undefined;
    return { text, shown, speed: typeof speed === "number" ? speed : null };
  } catch {
    return undefined;
  }
}
