/** The editor of the scenario's text: CodeMirror, with the simulator's error below its line. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { Annotation, EditorState, RangeSet, StateEffect, StateField, Transaction, type Extension } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutterLineClass, keymap, lineNumbers, WidgetType, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem } from "../core/protocol";

/** A change that nobody typed: of a control, of undo, or of another scenario. */
const given = Annotation.define<true>();

const told = StateEffect.define<Problem | undefined>();

class Said extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: Said): boolean {
    return other.text === this.text;
  }

  toDOM(): HTMLElement {
    const said = document.createElement("div");
    said.className = "cm-said";
    // The page says it, too, where screen readers listen.
    said.setAttribute("aria-hidden", "true");
    said.textContent = this.text;
    return said;
  }
}

class WrongLine extends GutterMarker {
  override elementClass = "cm-wrong";
}
const wrongLine = new WrongLine();
const NONE = RangeSet.of<GutterMarker>([]);

/** The line that is wrong, and why, until the text is read again. */
const problems = StateField.define<{ below: DecorationSet; beside: RangeSet<GutterMarker> }>({
  create: () => ({ below: Decoration.none, beside: NONE }),
  update(shown, { effects, changes, state }) {
    for (const effect of effects) {
      if (!effect.is(told)) continue;
      const { line, message, hint } = effect.value ?? {};
      if (line === undefined || line < 1 || line > state.doc.lines) return { below: Decoration.none, beside: NONE };
      const { from, to } = state.doc.line(line);
      const text = hint === undefined ? `${message}` : `${message} – ${hint}`;
      return {
        below: Decoration.set([Decoration.line({ class: "cm-wrong" }).range(from), Decoration.widget({ widget: new Said(text), block: true, side: 1 }).range(to)]),
        beside: RangeSet.of(wrongLine.range(from)),
      };
    }
    return { below: shown.below.map(changes), beside: shown.beside.map(changes) };
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ below }) => below),
    gutterLineClass.from(field, ({ beside }) => beside),
    EditorView.contentAttributes.from(field, ({ below }) => ({ "aria-invalid": String(below.size > 0) })),
  ],
});

/** In TOML a text ends on its line: one that does not is an error of that line, not of all that follow. */
const lines = StreamLanguage.define({
  ...toml,
  token(stream, state: { inString: boolean }) {
    if (stream.sol()) state.inString = false;
    return toml.token(stream, state);
  },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.string, tags.number, tags.bool, tags.atom], color: "var(--accent)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--ground)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { font: "inherit", lineHeight: "inherit" },
  ".cm-content": { caretColor: "var(--ink)", padding: ".4rem 0" },
  ".cm-gutters": { color: "var(--soft)", backgroundColor: "var(--panel)", border: "0" },
  ".cm-gutterElement.cm-wrong": { backgroundColor: "var(--bad)", color: "var(--ground)" },
  // As wide as what is seen of the text, wherever it is scrolled to.
  ".cm-said": { color: "var(--bad)", padding: "0 .4rem .2rem", whiteSpace: "pre-wrap", fontFamily: "system-ui, sans-serif", position: "sticky", left: "2.6em", width: "calc(100cqw - 3.2em)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--line)" },
});

const TEXT: Extension = [
  lineNumbers(),
  history(),
  bracketMatching(),
  lines,
  syntaxHighlighting(colours),
  problems,
  look,
  // Tab leaves the editor, as everywhere.
  keymap.of([...defaultKeymap, ...historyKeymap]),
  EditorState.tabSize.of(4),
  EditorView.contentAttributes.of({ "aria-label": "The scenario as text (TOML)", spellcheck: "false", autocapitalize: "off" }),
];

/** An editor in `parent`: `typed` hears each change that a person makes, `left` that the focus has gone. */
export function editor(parent: HTMLElement, text: string, typed: (text: string) => void, left: () => void): EditorView {
  const heard = EditorView.updateListener.of(({ docChanged, transactions, state }) => {
    if (docChanged && transactions.some((one) => one.docChanged && !one.annotation(given))) typed(state.doc.toString());
  });
  const extensions = [TEXT, heard, EditorView.domEventHandlers({ blur: () => left() })];
  return new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
}

/** Puts another text into the editor. What is equal at both ends stays, and so does the place of the cursor. */
export function replace(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  if (old === text) return;
  const most = Math.min(old.length, text.length);
  let from = 0;
  while (from < most && old[from] === text[from]) from++;
  let end = 0;
  while (end < most - from && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
  view.dispatch({
    changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) },
    annotations: [given.of(true), Transaction.addToHistory.of(false)],
  });
}

/** Shows an error at its line, if it has one; none without a problem. */
export function tell(view: EditorView, problem: Problem | undefined): void {
  view.dispatch({ effects: told.of(problem), annotations: given.of(true) });
}
