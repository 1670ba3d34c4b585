// SPDX-License-Identifier: ISC
// The assayctl commands of several actions behind one button.
import { html, useState } from "../../third_party/preact/preact.js";
import { cliLine } from "../format.js";
import { t } from "../text.js";
import { Copy } from "./copy.js";
import { Dialog } from "./dialog.js";
import { Button } from "./form.js";

// Clis lines: { name, words, operands, options }: name is what the button of the
// action says, the others are those of Cli.
export function Clis({ lines }) {
	const [open, setOpen] = useState(false);
	return html`<${Button} kind="quiet" class="cli" icon="terminal"
		label=${t("copy.clis")} onClick=${() => setOpen(true)} />
		${open && html`<${Dialog} title=${t("copy.clis")} size="wide"
			onClose=${() => setOpen(false)}><dl class="clis">${lines.map(
			({ name, words, operands, options }) => {
			const line = cliLine(words, operands, options);
			return html`<div key=${line}><dt>${name}</dt>
				<dd><code>${line}</code><${Copy} text=${line} /></dd></div>`;
		})}</dl></${Dialog}>`}`;
}
