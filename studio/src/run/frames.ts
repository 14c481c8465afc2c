/** The loop of frames. */

/** Draws what has changed; `elapsed` is the time since the last frame (s). */
type Draw = (elapsed: number) => void;
const drawn = new Set<Draw>();

/** Calls `draw` at every frame until the returned function is called. */
export function onFrame(draw: Draw): () => void {
  drawn.add(draw);
  return () => drawn.delete(draw);
}

/** Durations of the last frames (ms), for measurements. */
export const frames: number[] = [];

/** Starts the loop, whatever the simulators do: first `tick`, then all that draws. */
export function animate(tick: Draw): void {
  let last = performance.now();
  const frame = (time: number): void => {
    const elapsed = Math.max(0, time - last);
    last = time;
    frames.push(elapsed);
    if (frames.length > 5000) frames.shift();
    tick(elapsed / 1000);
    for (const draw of drawn) draw(elapsed / 1000);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
