// SPDX-License-Identifier: ISC
// Ids that can be copied, and the assayctl command of an action.
import { html } from "../../third_party/preact/preact.js";
import { cliLine, cut, shortId } from "../format.js";
import { Icon } from "../icons.js";
import { exact, spelled, t } from "../text.js";
import { toast } from "./toast.js";

// copy TEXT: into the clipboard; the toast shows the text, also if the browser
// refuses.
export async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		toast({ text: t("copy.done", { text }), tone: "good" });
	} catch {
		toast({ text: t("copy.failed", { text }), tone: "bad" });
	}
}

export function Copy({ text, what }) {
	return html`<button type="button" class="button quiet square small"
		aria-label=${t("copy.what", { what: what ?? text })}
		title=${t("copy.what", { what: what ?? text })}
		onClick=${(event) => { event.stopPropagation(); copy(text); }}>
		<${Icon} name="copy" size=${13} /></button>`;
}

// Alike text: the mark of a value that could be taken for another one, because a word
// of it mixes alphabets.
export function Alike({ text }) {
	const codes = spelled(text), why = t("copy.alike", { text: codes });
	return codes !== text && html`<span class="alike" title=${why}>
		<${Icon} name="triangle-alert" size=${13} />
		<span class="hidden">${why}</span></span>`;
}

// Ends text: of a long value the ends, and all of it as its title.
export function Ends({ text, most = 24 }) {
	const shown = cut(text, most);
	return html`${shown === text ? text : html`<span title=${text}>${shown}
		</span>`}<${Alike} text=${text} />`;
}

// Id id: in a monospaced font with a button to copy it; href makes it a link.
// short shows only its end, most so many of its characters.
export function Id({ id, href, short = false, most = Infinity }) {
	const title = exact(id), text = short ? exact(shortId(id)) : cut(title, most);
	return html`<span class="id">${href ?
	    html`<a href=${href} title=${title}><code>${text}</code></a>` :
	    html`<code title=${title}>${text}</code>`}<${Alike} text=${title} />
		<${Copy} text=${id} /></span>`;
}

// Cli words operands options: a button that copies the assayctl command which does
// the same as the action next to it.
export function Cli({ words, operands, options }) {
	const line = cliLine(words, operands, options);
	return html`<button type="button" class="button quiet square cli"
		aria-label=${t("copy.cli", { line })} title=${line}
		onClick=${() => copy(line)}><${Icon} name="terminal" /></button>`;
}
