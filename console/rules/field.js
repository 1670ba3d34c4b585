// SPDX-License-Identifier: ISC
// The editor in a page; its code, the largest of the console, comes when it is
// shown first.
import { html, useLayoutEffect, useRef } from
    "../../third_party/preact/preact.js";
import { Loading, Problem } from "../ui/empty.js";
import { useModule } from "../ui/module.js";

function Editor({ label, value, rule, catalogue, describe, spans, onInput,
    editorRef }) {
	const own = useRef(null);
	const element = editorRef ?? own;
	const input = useRef(onInput);
	input.current = onInput;
	useLayoutEffect(() => {
		const editor = document.createElement("rule-editor");
		editor.name = label;
		editor.value = value;
		const edit = () => input.current(editor.value);
		editor.addEventListener("edit", edit);
		own.current = element.current = editor;
		box.current.append(editor);
		return () => editor.remove();
	}, []);
	const box = useRef(null);
	useLayoutEffect(() => {
		element.current.value = value;
	}, [value]);
	useLayoutEffect(() => {
		Object.assign(element.current, { catalogue, describe });
	}, [catalogue, describe]);
	useLayoutEffect(() => element.current.mark(spans), [spans]);
	useLayoutEffect(() => element.current.showRule(rule), [rule]);
	return html`<div class="editor-box" ref=${box}></div>`;
}

// RuleField label value onInput: rule is the id of one to begin at; catalogue
// completes, describe(word) explains, spans of check.js are marked.  editorRef gets the
// element: show(at), focus().
export function RuleField(props) {
	const { module, error, again } = useModule("editor", () => import("./editor.js"));
	if (error)
		return html`<${Problem} error=${error} reload=${again} />`;
	return module === undefined ? html`<${Loading} lines=${12} />` :
	    html`<${Editor} ...${props} />`;
}
