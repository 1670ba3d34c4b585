// SPDX-License-Identifier: ISC
// The account of the operator: password, second factor, appearance,
// time zone and keys.
import { html, useState } from "../../third_party/preact/preact.js";
import { FactorPart } from "./factor.js";
import { keyOf, clash, keysOf, resetKeys, setKey } from "../keys.js";
import commands from "../commands.js";
import { prefs, setPref } from "../prefs.js";
import { session, signOutEverywhere } from "../session.js";
import { useSignal } from "../store.js";
import { t } from "../text.js";
import "./text.js";
import { ChangePassword } from "./login.js";
import { Badge } from "../ui/badge.js";
import { Cli } from "../ui/copy.js";
import { ask } from "../ui/dialog.js";
import { Button, Check, Choice, Key } from "../ui/form.js";
import { scopes } from "../ui/help.js";
import { Facts, Note, Page, Section } from "../ui/page.js";
import { commandName } from "../ui/palette.js";
import { ZonedTime } from "../ui/time.js";
import { toast } from "../ui/toast.js";

const THEMES = ["auto", "light", "dark"];
const ZONES = ["utc", "local"];

function choices(kind, values) {
	return values.map((value) => [value, t(`account.${kind}.${value}`)]);
}

function Appearance() {
	const { theme, zone } = useSignal(prefs);
	return html`<${Section} title=${t("account.appearance")}>
		<div class="stack">
			<${Choice} hideLabel=${false} label=${t("account.theme")} value=${theme}
				options=${choices("theme", THEMES)}
				onInput=${(value) => setPref("theme", value)} />
			<${Choice} hideLabel=${false} label=${t("account.zone")} value=${zone}
				options=${choices("zone", ZONES)}
				onInput=${(value) => setPref("zone", value)} />
		</div></${Section}>`;
}

function PasswordPart() {
	const [open, setOpen] = useState(false);
	function done() {
		setOpen(false);
		toast({ text: t("account.password.done"), tone: "good" });
	}
	return html`<${Section} title=${t("account.password")}>
		${open ? html`<${ChangePassword} onDone=${done}>
			<${Button} onClick=${() => setOpen(false)}>${t("dialog.cancel")}
			</${Button}></${ChangePassword}>` :
		    html`<div class="buttons"><${Cli} words="password" />
			<${Button} icon="pencil" onClick=${() => setOpen(true)}>
			${t("login.change.do")}</${Button}></div>`}</${Section}>`;
}

async function everywhere() {
	if (await ask({ title: t("account.everywhere"), danger: true,
	    text: t("account.everywhere.text"), confirm: t("account.everywhere"),
	    cli: () => ({ words: "logout", options: { all: true } }) }) !== null)
		signOutEverywhere();
}

function Leave() {
	return html`<div class="buttons">
		<${Cli} words="logout" options=${{ all: true }} />
		<${Button} kind="danger" onClick=${everywhere}>
		${t("account.everywhere")}</${Button}></div>`;
}

// One command with a button that waits for a new key.
function KeyRow({ id }) {
	const [waits, setWaits] = useState(false);
	const keys = keysOf(id);
	function press(event) {
		if (!waits || ["Shift", "Control", "Alt", "Meta", "Tab"]
		    .includes(event.key))
			return;
		event.preventDefault();
		event.stopPropagation();
		setWaits(false);
		if (event.key === "Escape")
			return;
		const key = keyOf(event);
		const other = clash(id, key);
		if (other === null)
			setKey(id, key);
		else
			toast({ text: t("account.keys.clash", { key,
			    name: commandName(other) }), tone: "bad" });
	}
	return html`<tr><td>${commandName(id)}</td>
		<td>${keys.length === 0 ? t("help.off") : html`<${Key}
			keys=${keys} />`}</td>
		<td class="end"><div class="buttons">
			<${Button} onKeyDown=${press} onBlur=${() => setWaits(false)}
				onClick=${() => setWaits(true)} aria-label=${t(
				"account.keys.change", { name: commandName(id) })}>
				${t(waits ? "account.keys.press" : "account.keys.set")}
			</${Button}>
			<${Button} kind="quiet" icon="x" disabled=${keys.length === 0}
				label=${t("account.keys.off", { name: commandName(id) })}
				onClick=${() => setKey(id, "")} /></div></td></tr>`;
}

function Keys() {
	const { singleKeys, keys } = useSignal(prefs);
	return html`<${Section} class="wide" title=${t("account.keys")}
		actions=${html`<${Button} onClick=${resetKeys}
			disabled=${Object.keys(keys).length === 0}>
			${t("account.keys.reset")}</${Button}>`}>
		<div class="stack">
			<${Check} label=${t("account.keys.single")} checked=${singleKeys}
				hint=${t("account.keys.single.hint")}
				onInput=${(on) => setPref("singleKeys", on)} />
			<div class="key-groups">${scopes().map((scope) => html`<div key=${scope}>
				<h3>${t(`scope.${scope}`)}</h3>
				<div class="table-box" role="region" tabindex="0"
					aria-label=${t(`scope.${scope}`)}><table><tbody>${
				commands.filter(([, of]) => of === scope).map(([id]) =>
				    html`<${KeyRow} key=${id} id=${id} />`)}</tbody></table>
				</div></div>`)}</div>
		</div></${Section}>`;
}

export default function Account() {
	const { me } = useSignal(session);
	return html`<${Page} title=${t("nav.account")}>
		<div class="columns">
			<${Section} title=${t("account.me")}><div class="stack"><${Facts} items=${[
			    [t("identity.email"), me.email],
			    [t("account.role"), html`<${Badge}>${me.role}</${Badge}>`],
			    [t("account.since"), html`<${ZonedTime} at=${me.authenticatedAt} />`],
			    [t("account.until"), html`<${ZonedTime} at=${me.expiresAt} />`],
			]} /><${Leave} /></div></${Section}>
			<${Appearance} />
			<${PasswordPart} />
			<${FactorPart} />
			<${Keys} />
		</div>
		<${Note}>${t("account.stored")}</${Note}></${Page}>`;
}
