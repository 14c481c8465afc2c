/** Shows a help beside a control, above all else: the controls stay where they are. */

/** Distance from the control (px). */
const GAP = 6;

/** Puts `help`, a popover, at the right of the panel of `control`; where there is no room, above or below `control`. */
export function beside(help: HTMLElement, control: HTMLElement): void {
  if (!help.matches(":popover-open")) help.showPopover();
  const put = (): void => {
    const { left, top, bottom } = control.getBoundingClientRect();
    const { width, height } = help.getBoundingClientRect();
    const right = (control.closest("aside") ?? control).getBoundingClientRect().right + GAP;
    const fits = right + width <= innerWidth;
    const above = top - height - GAP;
    const place = fits ? [right, Math.min(top, innerHeight - height - GAP)] : [Math.min(left, innerWidth - width - GAP), above >= 0 ? above : bottom + GAP];
    [help.style.left, help.style.top] = place.map((length) => `${length}px`) as [string, string];
  };
  put();
  const stop = new AbortController();
  addEventListener("scroll", put, { capture: true, passive: true, signal: stop.signal });
  help.addEventListener("toggle", () => !help.matches(":popover-open") && stop.abort(), { signal: stop.signal });
}
