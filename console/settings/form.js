// SPDX-License-Identifier: ISC
// A form of settings that are numbers, each with its default of the environment.
import { html, useState } from "../../third_party/preact/preact.js";
import { t } from "../text.js";
import { changeLabel, useChange } from "../ui/change.js";
import { Cli } from "../ui/copy.js";
import { Button, Form, TextField } from "../ui/form.js";
import { Section } from "../ui/page.js";
import { changesOf } from "./changes.js";
import "./text.js";

function Source({ overridden, onRemove }) {
	return overridden ? html`${t("settings.here")} <button type="button"
		class="link" onClick=${onRemove}>${t("settings.remove")}</button>` :
	    t("settings.environment");
}

// SettingsForm: names are the members of values that it shows; write is the
// operation; subject a word of FOUR_EYES; about is for useChange().
export function SettingsForm({ title, text, names, values, overridden, write,
    subject = null, about, onSaved }) {
	const [drafts, setDrafts] = useState(() => Object.fromEntries(
	    names.map((name) => [name, String(values[name])])));
	const [removed, setRemoved] = useState(new Set());
	const [busy, change] = useChange();
	const changes = changesOf(names, values, drafts, removed);
	const none = Object.keys(changes).length === 0;
	const wrong = (name) => drafts[name].trim() === "" ||
	    !(Number(drafts[name]) >= 0);
	async function save() {
		if (none || names.some(wrong))
			return;
		const saved = await change({ subject, operation: write, body: changes,
		    about, done: t("settings.saved") });
		if (saved)
			onSaved();
	}
	return html`<${Section} title=${title}>
		<${Form} onSubmit=${save}>
			<p class="muted">${text}</p>
			${names.map((name) => html`<${TextField} key=${name}
				label=${t(`setting.${name}`)} inputmode="decimal"
				value=${removed.has(name) ? "" : drafts[name]}
				disabled=${removed.has(name)}
				onInput=${(value) => setDrafts({ ...drafts, [name]: value })}
				error=${wrong(name) && t("settings.number")}
				hint=${removed.has(name) ? t("settings.removed") :
				    html`<${Source} overridden=${overridden[name]} onRemove=${
				    () => setRemoved(new Set([...removed, name]))} />`} />`)}
			<div class="buttons">
				<${Cli} words="settings set" operands=${names.filter((name) =>
				    name in changes).map((name) =>
				    `${name}=${changes[name] ?? ""}`)} />
				<${Button} type="submit" kind="primary" busy=${busy}
					disabled=${none}>${changeLabel(subject, t("settings.save"))}
				</${Button}></div>
		</${Form}></${Section}>`;
}
