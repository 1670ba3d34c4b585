// SPDX-License-Identifier: ISC
// What is stored: sizes, how long it is kept, and erasing a user.
import { html, useState } from "../../third_party/preact/preact.js";
import { isKnown, storedFacts } from "../acts.js";
import { call } from "../api.js";
import { bytes, number } from "../format.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import "../acts-text.js";
import "./text.js";
import { changeLabel, useChange } from "../ui/change.js";
import { Ranked } from "../ui/chart.js";
import { Cli } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { Button, Form, TextField } from "../ui/form.js";
import { Facts, Note, Page, Section } from "../ui/page.js";
import { SettingsForm } from "../settings/form.js";
import { storedGroups } from "./stored.js";

const WINDOW_NAMES = ["verdicts", "activity", "replay", "idempotency",
    "deadLetter"];
function Storage() {
	const load = useLoad((signal) => call("GET /v1/config/storage",
	    { signal }), []);
	return html`<${Loaded} load=${load}>${({ totalBytes, collections, disks }) =>
	    html`<${Section} title=${t("data.storage")}
		    actions=${html`<${Cli} words="storage" />`}>
			<div class="stack"><${Facts} items=${[[t("data.total"), bytes(totalBytes)],
			    ...disks.map(({ path, freeBytes, usedPercent }) => [
				t("data.disk", { path }), t("data.free", {
				    free: bytes(freeBytes), used: usedPercent })])]} />
			<p class="muted">${t("data.rows")}</p>
			${storedGroups(collections).map(({ id, items }) => html`<div
				class="stack" key=${id}><h3>${t(`data.group.${id}`)}</h3>
				<${Ranked} label=${t(`data.group.${id}`)} items=${items}
					most=${Math.max(...collections.map(({ rows }) => rows))} />
			</div>`)}</div>
		</${Section}>`}</${Loaded}>`;
}

function RunRetention() {
	const [busy, change] = useChange();
	const [ran, setRan] = useState(null);
	async function run() {
		const answer = await change({ subject: "retention",
		    operation: "POST /v1/config/retention/run",
		    done: t("data.ran") });
		setRan(answer?.pruned ?? null);
	}
	return html`<${Section} title=${t("data.sweep")} actions=${html`
		<${Cli} words="retention run" />
		<${Button} busy=${busy} onClick=${run}>${changeLabel("retention",
		    t("data.run"))}</${Button}>`}>
		<p class="muted">${t("data.sweep.text")}</p>
		${ran && html`<${Facts} items=${WINDOW_NAMES.map((name) => [
		    t(`data.pruned.${name}`), number(ran[name])])} />`}
	</${Section}>`;
}

function Windows() {
	const [version, setVersion] = useState(0);
	const load = useLoad((signal) => call("GET /v1/config/retention",
	    { signal }), []);
	return html`<${Loaded} load=${load}>${({ days, overridden }) => html`
		<${SettingsForm} key=${version} title=${t("data.windows")}
			text=${t("data.windows.text")} names=${WINDOW_NAMES} values=${days}
			overridden=${overridden} subject="retention" about=${{ days }}
			write="PUT /v1/config/retention" onSaved=${async () => {
			    await load.reload();
			    setVersion(version + 1);
			}} />`}</${Loaded}>`;
}

// What an erasure has removed.
function Erased({ userId, stored, complete }) {
	return html`<div role="status"><${Note} tone=${complete ? "info" : "warn"}>
		<p>${t(isKnown(stored) ? "data.erase.removed" : "data.erase.nothing",
		    { userId })}</p>
		<${Facts} items=${storedFacts(stored)} />
		${!complete && html`<p>${t("data.erase.partial")}</p>`}</${Note}></div>`;
}

function Erase() {
	const [userId, setUserId] = useState("");
	const [done, setDone] = useState(null);
	const [busy, change] = useChange();
	async function erase() {
		if (userId.trim() === "")
			return;
		const answer = await change({ subject: "erasure",
		    operation: "POST /v1/privacy/erase",
		    body: { userId: userId.trim() },
		    cli: { words: "erase", operands: [userId.trim()] } });
		if (answer)
			setUserId("");
		setDone(answer?.userId ? answer : null);
	}
	return html`<${Section} title=${t("data.erase")}>
		<${Form} onSubmit=${erase}>
			<p class="muted">${t("data.erase.text")}</p>
			<${TextField} label=${t("data.user")} value=${userId}
				onInput=${setUserId} />
			<div class="buttons">
				<${Cli} words="stored" operands=${[userId || "USER"]} />
				<${Cli} words="erase" operands=${[userId || "USER"]} />
				<${Button} type="submit" kind="danger" busy=${busy}
					disabled=${userId.trim() === ""}>
					${changeLabel("erasure", t("data.erase.do"))}</${Button}>
			</div>
		</${Form}>
		${done && html`<${Erased} ...${done} />`}
	</${Section}>`;
}

export default function Data() {
	return html`<${Page} title=${t("nav.data")} lead=${t("data.lead")}>
		<div class="columns"><div class="stack"><${Storage} /><${RunRetention} />
		</div><div class="stack"><${Windows} /><${Erase} /></div></div>
	</${Page}>`;
}
