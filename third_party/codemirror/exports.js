// SPDX-License-Identifier: ISC
// What codemirror.js exports: the part of CodeMirror 6 that the console's rule
// editor uses.
export { Compartment, EditorState } from "@codemirror/state";
export { drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap,
    lineNumbers, placeholder } from "@codemirror/view";
export { bracketMatching, HighlightStyle, indentUnit, StreamLanguage,
    syntaxHighlighting } from "@codemirror/language";
export { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
export { autocompletion, closeBrackets, closeBracketsKeymap,
    completionKeymap } from "@codemirror/autocomplete";
export { linter, lintGutter, lintKeymap, setDiagnostics } from
    "@codemirror/lint";
export { tags } from "@lezer/highlight";
