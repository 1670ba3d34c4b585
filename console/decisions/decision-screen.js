// SPDX-License-Identifier: ISC
// One decision: the request, each rule with its comparisons, what would have changed
// it, the model, all signals, and what other signals would give.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { EventFacts } from "../cases/facts.js";
import { Learned, Model, Policy, Signals } from "../explain/detail.js";
import { Try } from "../explain/try.js";
import { Changes, Why } from "../explain/why.js";
import { amount } from "../format.js";
import { handleOf } from "../personal-handles.js";
import { useKeys } from "../keys.js";
import { href } from "../router.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge, Outcome, Score, Verdict } from "../ui/badge.js";
import { Cli, copy, Id } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { LinkButton } from "../ui/form.js";
import { Page, Section } from "../ui/page.js";
import "./text.js";

function Lead({ explanation }) {
	const { verdict, score, label, eventId } = explanation;
	return html`<span class="marks"><${Verdict} verdict=${verdict} />
		<${Score} ...${{ score, verdict }} />
		${label ? html`<span>${t("decision.label")}
			${" "}<${Outcome} outcome=${label.outcome} />
			${" "}<span class="muted">${t(`decision.by.${label.source}`)}
			</span></span>` : html`<${Badge}>${t("decision.noLabel")}
		</${Badge}>`}
		<${Id} id=${eventId} /></span>`;
}

function Shown({ explanation }) {
	const [picked, setPicked] = useState(null);
	const { eventId, caseId } = explanation;
	const change = (signal, value) => setPicked({ signal, value });
	useKeys({ "decision.copy": () => copy(eventId) });
	return html`<${Page} title=${title(explanation)}
		lead=${html`<${Lead} explanation=${explanation} />`}
		crumbs=${[[t("nav.decisions"), href("/decisions")]]} actions=${html`
		<${Cli} words="explain" operands=${[eventId]} />
		${caseId && html`<${LinkButton} icon="inbox"
			href=${href("/cases/:id", { id: caseId })}>
			${t("decision.case")}</${LinkButton}>`}`}>
		<${Section} title=${t("decision.facts")}>
			<${EventFacts} explanation=${explanation} own /></${Section}>
		<div class="case-view">
			<div class="page">
				<${Section} title=${t("decision.rules")}>
					<${Why} explanation=${explanation} whole /></${Section}>
				<${Learned} explanation=${explanation} />
				<${Model} explanation=${explanation} />
			</div>
			<div class="page side">
				<${Policy} explanation=${explanation} />
				<${Section} title=${t("decision.changes")}>
					<${Changes} explanation=${explanation}
						pick=${change} /></${Section}>
				<${Try} explanation=${explanation} picked=${picked} />
			</div>
		</div>
		<${Signals} explanation=${explanation} change=${change} />
	</${Page}>`;
}

function title({ eventType, request }) {
	const money = amount(request?.amount, request?.currency);
	return `${eventType}${money === "" ? "" : ` ${money}`}`;
}

// The typed id may be that of a user or a device.
function Unknown({ id }) {
	return html`<${Empty} icon="search" title=${t("decision.unknown", { id })}>
		<div class="buttons">${["user", "device"].map((kind) =>
		    html`<${LinkButton} key=${kind} icon="fingerprint"
			href=${href("/entity/:kind/:id", { kind,
			    id: handleOf(kind, id) })}>${t(`find.${kind}`,
			{ text: id })}</${LinkButton}>`)}</div></${Empty}>`;
}

export default function Decision({ params: { id } }) {
	const load = useLoad((signal) => call("GET /v1/decisions/{id}/explain",
	    { path: { id }, signal }), [id]);
	return load.data === undefined ? html`<${Page} title=${t("nav.decision")}
		crumbs=${[[t("nav.decisions"), href("/decisions")]]}>
		${load.error?.status === 404 ? html`<${Unknown} id=${id} />` :
		    html`<${Loaded} load=${load} lines=${12}>${() => ""}</${Loaded}>`}
	</${Page}>` :
	    html`<${Shown} explanation=${load.data} />`;
}
