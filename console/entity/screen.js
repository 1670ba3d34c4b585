// SPDX-License-Identifier: ISC
// One user, device, address or phone number: what it did, what it is linked to, and
// the lists that name it.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import "../cases/case-text.js";
import { Activity, Earlier } from "../cases/related.js";
import "../cases/text.js";
import { entityValue } from "../cases/values.js";
import { number, percent } from "../format.js";
import { valueOf } from "../personal-handles.js";
import { Listed } from "../lists/listed.js";
import { go, href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Cli } from "../ui/copy.js";
import { Forgotten, Loaded } from "../ui/empty.js";
import { Button, Form, Select, TextField } from "../ui/form.js";
import { Page, Section, Stat } from "../ui/page.js";
import { Connections } from "./connections.js";
import { ENTITY_KINDS, eventsText } from "./kinds.js";
import { Name, useNames } from "./masked.js";
import "./text.js";

// What the history of an address or a device says; null without labels.
function riskNote({ labels, frauds }) {
	return labels === 0 ? t("entity.unlabelled") : t("entity.fraud", {
	    n: labels, frauds, share: percent(frauds / labels) });
}

function Numbers({ graph }) {
	const { users, devices, ips, phones, ringSize, risk } = graph;
	return html`<div class="stats">
		${risk && html`<${Stat} label=${t(graph.kind === "user" ?
		    "entity.decisions" : "entity.events")}
			value=${eventsText(graph.kind, risk)} note=${riskNote(risk)}
			tone=${risk.frauds > 0 ? "bad" : ""} />`}
		<${Stat} label=${t("entity.users")} value=${number(users.length)}
			tone=${graph.kind !== "user" && users.length > 2 ? "warn" : ""} />
		<${Stat} label=${t("entity.things")} value=${number(devices.length +
		    ips.length + phones.length)} />
		<${Stat} label=${t("entity.ring")} note=${t("entity.ring.note")}
			value=${ringSize === 500 ? t("entity.ring.most") :
			number(ringSize)} tone=${ringSize >= 10 ? "warn" : ""} />
	</div>`;
}

function Entity({ kind, id }) {
	const load = useLoad((signal) => call("GET /v1/graph/{kind}/{id}",
	    { path: { kind, id }, signal }), [kind, id]);
	const { hides } = useNames();
	return html`<${Page} title=${t(`subject.${kind}`)}
		heading=${html`${t(`subject.${kind}`)} <${Name} kind=${kind} id=${id} />`}
		crumbs=${[[t("nav.entity"), href("/entity")]]}
		actions=${!hides(kind, id) && html`<${Cli} words="graph"
			operands=${[kind, id]} />`}>
		<${Loaded} load=${load}>${(graph) => html`
			<${Numbers} graph=${graph} />
			<div class="columns">
				<div class="stack"><${Listed}
					values=${[entityValue(kind, id)]} />
					${kind === "user" && html`<${Section}
						title=${t("entity.cases")}><${Earlier} user=${id} />
					</${Section}>
					<${Section} title=${t("cases.activity")}>
						<${Activity} user=${id} /></${Section}>`}</div>
				<${Connections} graph=${graph} /></div>`}</${Loaded}>
	</${Page}>`;
}

function Search() {
	const [kind, setKind] = useState("user");
	const [id, setId] = useState("");
	const open = () => id.trim() !== "" && go(href("/entity/:kind/:id",
	    { kind, id: id.trim() }));
	return html`<${Page} title=${t("nav.entity")} lead=${t("entity.lead")}>
		<${Section}><${Form} class="filters" onSubmit=${open}>
			<${Select} label=${t("entity.kind")} value=${kind} onInput=${setKind}
				options=${ENTITY_KINDS.map((one) => [one, t(`subject.${one}`)])} />
			<${TextField} class="long" label=${t("entity.id")} value=${id} onInput=${setId}
				autofocus />
			<${Button} type="submit" kind="primary" icon="search"
				disabled=${id.trim() === ""}>${t("entity.open")}</${Button}>
		</${Form}></${Section}></${Page}>`;
}

export default function EntityScreen({ params: { kind, id } }) {
	if (kind === undefined)
		return html`<${Search} />`;
	const value = ENTITY_KINDS.includes(kind) ? valueOf(kind, id) : null;
	return value === null ? html`<${Page} title=${t("nav.entity")}><${Forgotten}
		again=${href("/entity")} /></${Page}>` :
	    html`<${Entity} key=${`${kind} ${value}`} kind=${kind} id=${value} />`;
}
