/** A span of time that a pointer draws across the plots, and its words. */

/** A span in words; as many digits as tell its ends apart. */
export function spanText(from: number, to: number): string {
  const decimals = Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(Math.max(1e-4, to - from)))));
  return `From ${from.toFixed(decimals)} to ${to.toFixed(decimals)} s`;
}

/** A press that moves less than this is none (px). */
const LEAST = 4;

/**
 * Lets a pointer draw a span across the plots in `host`: `window` is the time that they show (s), `choose` takes both ends.
 * Returns how to end it.
 */
export function drawable(host: HTMLElement, window: () => [number, number], choose: (from: number, to: number) => void): () => void {
  let from: { x: number; time: number } | undefined;
  let over: Element | null = null;
  const timeOf = (event: PointerEvent): number => {
    const { left, width } = over!.getBoundingClientRect();
    const [start, end] = window();
    return start + Math.min(1, Math.max(0, (event.clientX - left) / width)) * (end - start);
  };
  const down = (event: PointerEvent): void => {
    over = (event.target as Element).closest(".u-over");
    if (!over || event.button !== 0) return;
    from = { x: event.clientX, time: timeOf(event) };
    over.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    if (from && Math.abs(event.clientX - from.x) >= LEAST) choose(from.time, timeOf(event));
  };
  const up = (): void => {
    from = undefined;
  };
  const listeners = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: up };
  for (const [name, listener] of Object.entries(listeners)) host.addEventListener(name, listener as EventListener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) host.removeEventListener(name, listener as EventListener);
  };
}
