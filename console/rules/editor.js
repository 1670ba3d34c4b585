// SPDX-License-Identifier: ISC
// The element <rule-editor>: CodeMirror in a shadow root.  There it writes its
// styles into sheets of the root, which the policy allows, and not into <style>.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap,
    defaultKeymap, EditorState, EditorView, highlightActiveLine, HighlightStyle,
    history, historyKeymap, hoverTooltip, indentUnit, keymap, lineNumbers,
    lintGutter, lintKeymap, bracketMatching, setDiagnostics, StreamLanguage,
    syntaxHighlighting, tags } from
    "../../third_party/codemirror/codemirror.js";
import { filled, offersAt, ruleBefore } from "./complete.js";
import { isWithin, ruleAt, startState, token, velocitiesOf } from "./language.js";
import { coded } from "../text.js";

const language = StreamLanguage.define({
	name: "assay-rules", startState, token,
	copyState: (state) => ({ ...state }),
	indent: (state, after, { unit }) => isWithin(state, after) ? unit : 0,
	languageData: { commentTokens: { line: "#" },
	    indentOnInput: /^\s*\}$/,
	    closeBrackets: { brackets: ["(", "[", '"'] } },
	tokenTable: { name: tags.definition(tags.variableName),
	    signal: tags.propertyName, label: tags.labelName, boolean: tags.bool,
	    plain: tags.content, fault: tags.invalid },
});

const colours = HighlightStyle.define([
	{ tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
	{ tag: tags.definition(tags.variableName), fontWeight: "600" },
	{ tag: tags.propertyName, color: "var(--info)" },
	{ tag: tags.labelName, color: "var(--warn)" },
	{ tag: [tags.string, tags.number, tags.bool], color: "var(--good)" },
	{ tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
	{ tag: tags.invalid, color: "var(--bad)" },
]);

// A mark of the gutter: the theme of CodeMirror has images in data: addresses,
// which the policy refuses.
const mark = (tone) => ({ content: '""', width: "8px", height: "8px",
    margin: "6px 2px", borderRadius: tone === "bad" ? "2px" : "50%",
    background: `var(--${tone}-fill)` });
const underline = (tone) => ({ backgroundImage: "none", paddingBottom: "0",
    textDecoration: `underline wavy var(--${tone}-fill)`,
    textUnderlineOffset: "3px" });

const theme = EditorView.theme({
	"&": { height: "100%", color: "var(--text)",
	    backgroundColor: "var(--surface)", fontSize: "13px" },
	// The frame is above the lines, whose backgrounds would hide it.
	"&.cm-focused": { outline: "none" },
	"&.cm-focused::after": { content: '""', position: "absolute", inset: "0",
	    zIndex: "300", pointerEvents: "none", border: "2px solid var(--accent)" },
	".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
	".cm-content": { caretColor: "var(--text)" },
	".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--muted)",
	    borderInlineEnd: "1px solid var(--line)", borderRight: "0" },
	".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
	".cm-content ::selection": { backgroundColor: "var(--accent-soft)" },
	"&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)",
	    outline: "1px solid var(--accent)" },
	".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)",
	    border: "1px solid var(--line)", borderRadius: "6px",
	    boxShadow: "var(--shadow)" },
	".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
	    backgroundColor: "var(--accent-fill)", color: "#fff" },
	".cm-completionDetail": { color: "inherit", opacity: "0.8" },
	".cm-completionIcon": { display: "none" },
	".cm-about": { maxWidth: "340px", padding: "6px 10px",
	    font: "13px system-ui, sans-serif" },
	".cm-diagnostic": { borderInlineStart: "3px solid var(--bad-fill)" },
	".cm-diagnostic-warning": { borderInlineStartColor: "var(--warn-fill)" },
	".cm-lintRange-error": underline("bad"),
	".cm-lintRange-warning": underline("warn"),
	".cm-lint-marker-error": mark("bad"),
	".cm-lint-marker-warning": mark("warn"),
	".cm-lintPoint:after": { borderBottomColor: "var(--bad-fill)" },
});

// Tab writes a tab; after Escape the next Tab leaves the editor.
function writeTab(view) {
	view.dispatch(view.state.replaceSelection("\t"));
	return true;
}

// These belong to the page.
const OURS = new Set(["Mod-Enter", "Mod-s"]);

function insert({ label, template }) {
	if (template === undefined)
		return label;
	return (view, _completion, from, to) => {
		const { text, at } = filled(template);
		view.dispatch({ changes: { from, to, insert: text },
		    selection: { anchor: from + at } });
	};
}

// A tooltip is text in an element, never HTML.
function about(words) {
	const box = document.createElement("div");
	box.className = "cm-about";
	box.textContent = coded(words);
	return box;
}

class RuleEditor extends HTMLElement {
	#view = null;
	#text = "";
	#name = "";
	catalogue = { signals: [], attributes: [], tags: [] };
	// describe(word): what the editor says about a word under the pointer.
	describe = () => null;

	connectedCallback() {
		const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
		this.#view = new EditorView({ root, parent: root,
		    state: this.#state(this.#text) });
		this.#view.dom.classList.add("rule-editor");
	}

	disconnectedCallback() {
		this.#view.destroy();
		this.#view = null;
	}

	#state(doc) {
		return EditorState.create({ doc, extensions: [
			lineNumbers(), lintGutter(), history(), language,
			indentUnit.of("\t"), EditorState.tabSize.of(4),
			syntaxHighlighting(colours), bracketMatching(),
			closeBrackets(), highlightActiveLine(), theme,
			EditorView.lineWrapping,
			EditorView.contentAttributes.of({ "aria-label": this.#name,
			    tabindex: "0" }),
			autocompletion({ override: [(context) =>
			    this.#complete(context)] }),
			hoverTooltip((view, at) => this.#hover(view, at)),
			keymap.of([...closeBracketsKeymap, ...completionKeymap,
			    ...historyKeymap, ...lintKeymap, ...defaultKeymap,
			    { key: "Tab", run: writeTab }]
			    .filter(({ key }) => !OURS.has(key))),
			EditorView.updateListener.of((update) => {
				if (update.docChanged)
					this.dispatchEvent(new Event("edit"));
			}),
		] });
	}

	#complete(context) {
		const word = context.matchBefore(/[\w.@+"-]*$/);
		if (word.text === "" && !context.explicit)
			return null;
		const text = context.state.doc.toString();
		const catalogue = { ...this.catalogue, velocities: velocitiesOf(text) };
		const options = offersAt(ruleBefore(text, word.from), catalogue)
		    .map((offer) => ({ label: offer.label.trim(),
			type: offer.kind, detail: offer.detail, apply: insert(offer),
			info: offer.info && (() => about(offer.info)) }));
		// The quote that closes a text or a name is there already.
		const closed = word.text.includes('"') && text[context.pos] === '"';
		return { from: word.from, to: context.pos + Number(closed), options,
		    validFor: /^[\w.@+"-]*$/ };
	}

	#hover(view, at) {
		const { from, to, text } = view.state.doc.lineAt(at);
		for (const found of text.matchAll(/[\w.@+-]+/g)) {
			const start = from + found.index;
			const words = start <= at && at <= start + found[0].length ?
			    this.describe(found[0]) : null;
			if (words !== null)
				return { pos: start, end: Math.min(to, start +
				    found[0].length), above: true,
				    create: () => ({ dom: about(words) }) };
		}
		return null;
	}

	get value() {
		return this.#view?.state.doc.toString() ?? this.#text;
	}

	// Another text: the history of changes begins again.
	set value(text) {
		if (text === this.value)
			return;
		this.#text = text;
		this.#view?.setState(this.#state(text));
	}

	set name(text) {
		this.#name = text;
	}

	// mark SPANS: underline { from, to, severity, message }.
	mark(spans) {
		const end = this.#view.state.doc.length;
		this.#view.dispatch(setDiagnostics(this.#view.state, spans
		    .filter(({ to }) => to <= end)));
	}

	// show AT: put the cursor there.
	show(at) {
		const anchor = Math.min(at, this.#view.state.doc.length);
		this.#view.dispatch({ selection: { anchor },
		    effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
		this.#view.focus();
	}

	// showRule ID: put the cursor at the rule, if the text has it.
	showRule(id) {
		const at = ruleAt(this.value, id);
		if (at !== null)
			this.show(at);
	}

	focus() {
		this.#view.focus();
	}
}

customElements.define("rule-editor", RuleEditor);
