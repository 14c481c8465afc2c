/** The control that has the focus, and how it came there. */
import type { Focus } from "../core/keys";

/** True if the focus came by Tab: then a control keeps Space, as everywhere. After the pointer, Space is the page's. */
let tabbed = false;
/** The field whose text is not yet used. */
let typed: EventTarget | null = null;
addEventListener("keydown", ({ key }) => key === "Tab" && (tabbed = true), true);
addEventListener("pointerdown", () => (tabbed = false), true);
addEventListener("input", ({ target }) => (typed = target), true);
addEventListener("change", () => (typed = null), true);
addEventListener("focusout", () => (typed = null), true);

/** The control at which a key was pressed. */
export function focusOf(target: HTMLElement): Focus {
  if (target.closest("textarea, [contenteditable]")) return "editor";
  if (target.closest("input:not([type=range], [type=checkbox], [type=radio])")) return typed === target ? "typing" : "field";
  const presses = target.closest("button:not([role=slider]), select, summary, a, input[type=checkbox], input[type=radio]");
  return presses && tabbed ? "pressed" : "other";
}
