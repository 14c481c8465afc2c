import { expect, it } from "vitest";
import { action, type Action, type Focus } from "../src/core/keys";

const press = (keys: string, focus: Focus): Action | undefined => {
  const parts = keys.split("+");
  return action({ key: parts.at(-1)!, ctrlKey: parts.includes("Ctrl"), metaKey: parts.includes("Cmd"), altKey: parts.includes("Alt"), shiftKey: parts.includes("Shift") }, focus);
};

it.each([
  [" ", "toggle"], ["Home", "restart"], [".", "step"], ["End", "end"], ["?", "help"], ["Shift+?", "help"],
  ["Ctrl+z", "undo"], ["Cmd+z", "undo"], ["Ctrl+Shift+Z", "redo"], ["Ctrl+y", "redo"],
] as const)("%s is %s on a slider, a list, a button and the page", (keys, what) => {
  expect(press(keys, "other")).toBe(what);
});

it("a control that Tab has reached is pressed by Space, and keeps no other key", () => {
  expect(press(" ", "pressed")).toBeUndefined();
  expect(press("Home", "pressed")).toBe("restart");
  expect(press("Ctrl+z", "pressed")).toBe("undo");
});

it.each(["typing", "editor", "field"] as const)("letters are text in a text field: %s", (focus) => {
  for (const keys of [" ", "Home", "End", ".", "?"]) expect(press(keys, focus), keys).toBeUndefined();
});

it("a text field undoes its own typing, and nothing else", () => {
  for (const keys of ["Ctrl+z", "Ctrl+Shift+Z", "Ctrl+y"]) {
    expect(press(keys, "typing")).toBeUndefined();
    expect(press(keys, "editor")).toBeUndefined();
    expect(press(keys, "field")).toBeDefined();
  }
});

it.each(["Shift+Home", "Shift+ ", "Alt+Home", "Ctrl+Home", "Ctrl+Alt+z", "Ctrl+Shift+y", "Cmd+y", "a", "Tab", "Enter"])("%s is no key of the page", (keys) => {
  expect(press(keys, "other")).toBeUndefined();
});
