/** Keys of the page: which action each one has, wherever the focus is. */

export type Action = "toggle" | "restart" | "step" | "end" | "undo" | "redo" | "help";

/**
 * The control that has the focus, as far as keys matter. *typing* is a text field whose letters are not yet used, *field* one
 * whose letters are. *editor* is a large text, *pressed* a control that Space presses.
 */
export type Focus = "typing" | "editor" | "field" | "pressed" | "other";

/** Lines of the help: keys, and their action in words. */
export const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ["Space", "Play or pause. After Tab to a button, a list or a box, Space presses that control instead."],
  ["Home", "From the start, with the same seed."],
  [".", "One step; at slow speed one packet."],
  ["End", "To the end of the run."],
  ["Ctrl+Z", "Undo the last change. While you type, undo the typing."],
  ["Ctrl+Shift+Z, Ctrl+Y", "Redo."],
  ["← → Page Up, Page Down", "Move the slider, or the change in mid-run, that has the focus."],
  ["Shift+Home, Shift+End", "Put the slider that has the focus to its lower or upper end."],
  ["Delete", "Remove the change in mid-run that has the focus."],
  ["Escape", "Follow the flow no more; otherwise remove the span."],
  ["?", "Show these keys."],
];

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

/** The action of a key; undefined if the key is for the control that has the focus, or for the browser. */
export function action({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed, focus: Focus): Action | undefined {
  if (altKey) return undefined;
  if (ctrlKey || metaKey) {
    if (focus === "typing" || focus === "editor") return undefined;
    const letter = key.toLowerCase();
    if (letter === "z") return shiftKey ? "redo" : "undo";
    // With ⌘, Y is the history of the browser.
    return letter === "y" && ctrlKey && !shiftKey ? "redo" : undefined;
  }
  if (focus === "typing" || focus === "editor" || focus === "field") return undefined;
  if (key === "?") return "help";
  if (shiftKey) return undefined;
  if (key === " ") return focus === "pressed" ? undefined : "toggle";
  const plain: Partial<Record<string, Action>> = { Home: "restart", ".": "step", End: "end" };
  return plain[key];
}
