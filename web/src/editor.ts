/** The editor: CodeMirror with one document a file, and tabs to choose it. */

import { indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { minimalSetup } from "codemirror";
import { element } from "./element";
import type { Texts } from "./lesson";

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.self], color: "var(--keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--muted)" },
  {
    tag: [tags.definition(tags.variableName), tags.definition(tags.function(tags.variableName))],
    color: "var(--name)",
  },
]);

const THEME = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "0.95rem", maxHeight: "70vh" },
  ".cm-scroller": { fontFamily: "ui-monospace, Consolas, monospace", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--paper)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine": { backgroundColor: "var(--active)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selected)",
  },
  "&.cm-focused": { outline: "3px solid var(--focus)" },
  ".cm-matchingBracket": { outline: "1px solid var(--muted)" },
});

export class Editor {
  private readonly view: EditorView;
  private readonly states = new Map<string, EditorState>();
  private readonly tabs = new Map<string, HTMLButtonElement>();
  file: string;

  /** Put tabs and editor on the page; `changed` hears of each change that a person makes. */
  constructor(
    tablist: HTMLElement,
    private readonly panel: HTMLElement,
    texts: Texts,
    changed: (file: string, text: string) => void,
  ) {
    const shadow = panel.attachShadow({ mode: "open", delegatesFocus: true }); // so that the policy allows CodeMirror's styles
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged) changed(this.file, this.text(this.file));
    });
    const extensions = [
      keymap.of([indentWithTab]),
      minimalSetup,
      lineNumbers(),
      bracketMatching(),
      highlightActiveLine(),
      python(),
      syntaxHighlighting(COLOURS),
      indentUnit.of("    "),
      EditorView.lineWrapping,
      THEME,
      listener,
    ];
    for (const [file, doc] of Object.entries(texts)) {
      const label = EditorView.contentAttributes.of({ "aria-label": `${file}, editor`, tabindex: "0" });
      this.states.set(file, EditorState.create({ doc, extensions: [...extensions, label] }));
      const tab = element(
        "button",
        { type: "button", role: "tab", id: `tab-${file}`, "aria-controls": panel.id },
        file,
      );
      tab.addEventListener("click", () => this.show(file));
      tab.addEventListener("keydown", (event) => {
        const files = Object.keys(texts);
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) this.show(files.at((files.indexOf(file) + step) % files.length) ?? file, true);
      });
      this.tabs.set(file, tab);
      tablist.append(tab);
    }
    this.file = Object.keys(texts)[0] ?? "";
    this.view = new EditorView({ state: this.states.get(this.file), parent: shadow, root: shadow });
    this.show(this.file);
  }

  /** Show a file; `onTab` puts the focus onto its tab. */
  show(file: string, onTab = false) {
    this.states.set(this.file, this.view.state);
    this.file = file;
    this.view.setState(this.states.get(file) ?? this.view.state);
    for (const [name, tab] of this.tabs) {
      tab.setAttribute("aria-selected", String(name === file));
      tab.tabIndex = name === file ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", `tab-${file}`);
    if (onTab) this.tabs.get(file)?.focus();
  }

  text(file: string): string {
    const state = file === this.file ? this.view.state : this.states.get(file);
    return state?.doc.toString() ?? "";
  }

  /** Put another text into a file; Ctrl+Z brings the old one back. */
  replace(file: string, text: string) {
    if (text === this.text(file)) return;
    const shown = this.file;
    this.show(file);
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.show(shown);
  }

  /** Show a line of a file and put the cursor there. */
  goTo(file: string, line: number) {
    this.show(file);
    const { doc } = this.view.state;
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines)).from;
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }
}
