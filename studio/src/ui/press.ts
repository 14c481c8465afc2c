/** A pointer is down. Changes that move the page then wait, so that the press meets what it aimed at. */
let pressed = false;
addEventListener("pointerdown", () => (pressed = true), true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (pressed = false), true);

/** Calls `then` now, or once the pointer is up and what it pressed knows. */
export function afterPress(then: () => void): void {
  if (!pressed) then();
  else for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(then, 50), { once: true, capture: true });
}
