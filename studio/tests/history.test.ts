import { expect, it } from "vitest";
import { History } from "../src/core/history";

const step = (before: string, after: string): { before: string; after: string; what: string } => ({ before, after, what: `to ${after}` });
const filled = (most?: { steps: number; size: number }): History<string> => {
  const history = new History<string>((text) => text.length, most);
  for (const [before, after] of ["ab", "bc", "cd"]) history.add(step(before!, after!));
  return history;
};

it("goes back and forth, and a new change ends what could be redone", () => {
  const history = filled();
  expect(history.last?.what).toBe("to d");
  expect([history.undo(), history.undo()]).toEqual(["c", "b"]);
  expect([history.last?.what, history.next?.what]).toEqual(["to b", "to c"]);
  expect(history.redo()).toBe("c");
  history.add(step("c", "x"));
  expect(history.redo()).toBeUndefined();
  expect([history.undo(), history.undo(), history.undo()]).toEqual(["c", "b", "a"]);
  expect(history.undo()).toBeUndefined();
});

it("strokes of one control are one step", () => {
  const history = filled();
  history.add(step("d", "e"), true);
  expect(history.undo()).toBe("c");
  expect(history.redo()).toBe("e");
});

it("keeps no more than it may, and always the last change", () => {
  const few = filled({ steps: 2, size: 100 });
  expect([few.undo(), few.undo(), few.undo()]).toEqual(["c", "b", undefined]);
  const small = filled({ steps: 9, size: 4 });
  expect([small.undo(), small.undo(), small.undo()]).toEqual(["c", "b", undefined]);
  const none = filled({ steps: 9, size: 0 });
  expect([none.undo(), none.undo()]).toEqual(["c", undefined]);
});

it("forgets all", () => {
  const history = filled();
  history.undo();
  history.clear();
  expect([history.undo(), history.redo(), history.last, history.next]).toEqual([undefined, undefined, undefined, undefined]);
});
