/** A reader of QR codes that knows nothing of the library that writes them. */
import jsQR from "jsqr";

/** Pixels of a module. */
const SCALE = 4;

/** The text of a code that is a path of rectangles `Mx yhWv1h-Wz`; undefined if a reader finds none. */
export function scanned(path: string, size: number): string | undefined {
  const side = size * SCALE;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g))
    for (let row = Number(y) * SCALE; row < (Number(y) + 1) * SCALE; row++)
      for (let column = Number(x) * SCALE; column < (Number(x) + Number(width)) * SCALE; column++) pixels.fill(0, (row * side + column) * 4, (row * side + column) * 4 + 3);
  return jsQR(pixels, side, side)?.data;
}
