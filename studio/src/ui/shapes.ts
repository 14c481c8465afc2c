/** Shapes that the pipe is made of. Marks are rings and drops crosses, so that colour alone says nothing. */

export function arrow(context: CanvasRenderingContext2D, from: number, to: number, y: number, colour: string): void {
  const tip = Math.sign(to - from) * 5;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(from, y);
  context.lineTo(to, y);
  context.moveTo(to - tip, y - 4);
  context.lineTo(to, y);
  context.lineTo(to - tip, y + 4);
  context.stroke();
}

export function cross(context: CanvasRenderingContext2D, x: number, y: number, size: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x + size, y - size);
  context.lineTo(x - size, y + size);
  context.stroke();
}

export function circle(context: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.stroke();
}

export function dot(context: CanvasRenderingContext2D, x: number, y: number, radius: number, colour: string): void {
  context.fillStyle = colour;
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

/** Patterns of flow groups, as filled parts of the height, from above; the outline is always there. Hue is for variants. */
export const PATTERNS: readonly (readonly (readonly [from: number, to: number])[])[] = [
  [[0, 1]],
  [],
  [[0, 0.5]],
  [[0.5, 1]],
  [[0.3, 0.7]],
  [
    [0, 0.25],
    [0.75, 1],
  ],
];

/** Bytes of a flow group, as a rectangle with the pattern of the group. */
export function patterned(context: CanvasRenderingContext2D, x: number, y: number, width: number, height: number, group: number, colour: string): void {
  const pattern = PATTERNS[group % PATTERNS.length]!;
  context.fillStyle = colour;
  for (const [from, to] of pattern) context.fillRect(x, y + from * height, width, (to - from) * height);
  if (pattern[0]?.[1] === 1) return;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, Math.max(0.5, width - 1), height - 1);
}

/** A packet of a flow group on its way, as a disc with the pattern of the group. */
export function disc(context: CanvasRenderingContext2D, x: number, y: number, radius: number, group: number, colour: string): void {
  context.save();
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.clip();
  context.fillStyle = colour;
  for (const [from, to] of PATTERNS[group % PATTERNS.length]!) context.fillRect(x - radius, y + (2 * from - 1) * radius, 2 * radius, 2 * (to - from) * radius);
  context.restore();
  circle(context, x, y, radius - 0.5, colour);
}
