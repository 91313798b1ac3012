/** The editor: CodeMirror with one document a file, and tabs to choose it. */

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { element } from "./element";
import type { Texts } from "./lesson";

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.self], color: "var(--keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--muted)" },
  { tag: [tags.definition(tags.variableName), tags.definition(tags.function(tags.variableName))], color: "var(--name)" },
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
  constructor(tablist: HTMLElement, panel: HTMLElement, texts: Texts, changed: (file: string, text: string) => void) {
    const shadow = panel.attachShadow({ mode: "open", delegatesFocus: true }); // so that the policy allows CodeMirror's styles
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged) changed(this.file, this.text(this.file));
    });
    const extensions = [
      lineNumbers(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      highlightActiveLine(),
      indentUnit.of("    "),
      EditorState.tabSize.of(4),
      keymap.of([...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap, indentWithTab]),
      pythonLanguage,
      syntaxHighlighting(COLOURS),
      EditorView.lineWrapping,
      THEME,
      listener,
    ];
    for (const [file, doc] of Object.entries(texts)) {
      const label = EditorView.contentAttributes.of({ "aria-label": `${file}, editor`, tabindex: "0" });
      this.states.set(file, EditorState.create({ doc, extensions: [...extensions, label] }));
      const tab = element("button", { type: "button", role: "tab", id: `tab-${file}`, "aria-controls": panel.id }, file);
      tab.addEventListener("click", () => this.show(file));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) this.show([...this.tabs.keys()].at((this.place(file) + step) % this.tabs.size) ?? file, "tab");
      });
      this.tabs.set(file, tab);
      tablist.append(tab);
    }
    this.file = Object.keys(texts)[0] ?? "";
    this.view = new EditorView({ state: this.states.get(this.file), parent: shadow, root: shadow });
    this.show(this.file);
    panel.setAttribute("role", "tabpanel");
  }

  private place(file: string) {
    return [...this.tabs.keys()].indexOf(file);
  }

  /** Show a file, and put the focus into it or onto its tab. */
  show(file: string, focus?: "editor" | "tab") {
    this.states.set(this.file, this.view.state);
    this.file = file;
    this.view.setState(this.states.get(file) ?? this.view.state);
    for (const [name, tab] of this.tabs) {
      tab.setAttribute("aria-selected", String(name === file));
      tab.tabIndex = name === file ? 0 : -1;
      if (name === file && focus === "tab") tab.focus();
    }
    this.view.dom.parentElement?.setAttribute("aria-labelledby", `tab-${file}`);
    if (focus === "editor") this.view.focus();
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
