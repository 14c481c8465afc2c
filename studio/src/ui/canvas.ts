/** A picture on a canvas: as sharp as the screen, in the lengths of the usual type. */
import { dots, theme } from "./theme.svelte";

/** Where to draw: lengths on it are those of the usual type, whatever the type's size and the screen's pixels. */
export interface Sheet {
  context: CanvasRenderingContext2D;
  width: number;
  height: number;
}

/** The emptied canvas, which the page shows `width` × `height` (px) large; undefined as long as there is none. */
export function sheetOf(canvas: HTMLCanvasElement | undefined, width: number, height: number): Sheet | undefined {
  const context = canvas?.getContext("2d");
  if (!canvas || !context) return undefined;
  const [wide, high] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const sheet = { context, width: width / theme.scale, height: height / theme.scale };
  context.setTransform(dots(), 0, 0, dots(), 0, 0);
  context.clearRect(0, 0, sheet.width, sheet.height);
  return sheet;
}
