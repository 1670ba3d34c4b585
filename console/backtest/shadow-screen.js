// SPDX-License-Identifier: ISC
// One shadow: what it would have decided beside what decided.
import { html, useState } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { number, percent, wholePercent } from "../format.js";
import { useKeys } from "../keys.js";
import { go, href } from "../router.js";
import { openLabel, Release, choicesOf } from "../versions/release.js";
import { Sides, VerdictMatrix } from "./matrix.js";
import { Arms, Percentage } from "./arms.js";
import { Changes, Examples, Origin } from "./shadow.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import "./text.js";
import { Badge, Tag } from "../ui/badge.js";
import { Cli } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Button } from "../ui/form.js";
import { Page, Section, Stat, useHere } from "../ui/page.js";
import { Table } from "../ui/table.js";

const EVERY_MS = 10000;

// What can be done with a shadow that runs; the setting SCORER_SHADOW begins and
// ends a scorer.
function shadowKinds({ kind, id, eventType }, part) {
	const place = kind === "ruleset" ? { eventType, id } : { id };
	const subjects = kind === "ruleset" ? ["shadow", "rules"] : ["shadow"];
	const cli = (words, operands = []) => () => ({ words, operands, options: { id,
	    type: kind === "ruleset" ? eventType : null } });
	return kind === "scorer" ? [] : [
	    { id: "rollout", needs: "rules.publish", subjects,
		operation: "POST /v1/model/shadow/rollout",
		body: () => ({ ...place, percent: part }),
		cli: cli("shadow rollout", [part]) },
	    { id: "promote", needs: "rules.publish", subjects,
		operation: "POST /v1/model/shadow/promote", body: () => place,
		cli: cli("shadow promote") },
	    { id: "end", needs: "rules.shadow", subjects: [],
		operation: "POST /v1/model/shadow/end", body: () => place,
		cli: cli("shadow end") }];
}

const tagColumns = () => [
	{ id: "tag", label: t("backtest.tag"), main: true,
	    cell: (row) => html`<${Tag} tag=${row.tag} />` },
	...["live", "shadow"].flatMap((side) => [
	    { id: `${side}.n`, label: t(`backtest.${side}.decisions`), align: "end",
		cell: (row) => number(row[side].decisions) },
	    { id: `${side}.points`, label: t(`backtest.${side}.points`), align: "end",
		cell: (row) => number(row[side].points) }]),
];

function Scores({ live, shadow }) {
	const names = Object.keys(live.scores);
	return html`<div class="table-box" tabindex="0" role="region"
		aria-label=${t("backtest.scores")}><table><thead><tr><td></td>
			${names.map((name) => html`<th scope="col" class="end"
				key=${name}>${name}</th>`)}</tr></thead>
		<tbody>${[["live", live], ["shadow", shadow]].map(([side, { scores }]) =>
		    html`<tr key=${side}><th scope="row">${t(`backtest.${side}`)}</th>
			${names.map((name) => html`<td class="end" key=${name}>${
			    scores[name] ?? "–"}</td>`)}</tr>`)}</tbody></table></div>`;
}

function Numbers({ shadow, labelled }) {
	return html`<div class="stats">
		<${Stat} label=${t("backtest.decisions")}
			value=${number(shadow.decisions)} />
		<${Stat} label=${t("backtest.agreement")}
			value=${shadow.decisions ? percent(shadow.agreement) : "–"} />
		${shadow.percent > 0 && html`<${Stat} label=${t("backtest.percent.of")}
			value=${wholePercent(shadow.percent / 100)} />`}
		<${Stat} label=${t("backtest.labelled")} value=${number(labelled)}
			note=${t("backtest.labelled.note", { n: shadow.labels.fraud })} />
	</div>`;
}

function Comparison({ shadow, labelled }) {
	return html`<div class="columns">
		<${Section} title=${t("backtest.verdicts")}><${VerdictMatrix}
			label=${t("backtest.verdicts")} counts=${shadow.verdicts} />
		</${Section}>
		<${Section} title=${t("backtest.sides")}><${Sides}
			label=${t("backtest.sides")} before=${shadow.live}
			after=${shadow.shadow} names=${[t("backtest.live"),
			    t("backtest.shadow")]} />
			${labelled === 0 && html`<p class="muted">${
			    t("backtest.unlabelled")}</p>`}</${Section}>
		<${Section} title=${t("backtest.tags")} class="flush"><${Table}
			label=${t("backtest.tags")} columns=${tagColumns()}
			rows=${shadow.tags} keyOf=${(row) => row.tag}
			empty=${html`<${Empty} title=${t("backtest.tags.none")} />`} />
		</${Section}>
		<${Section} title=${t("backtest.scores")}><${Scores} ...${shadow} />
		</${Section}>
	</div>`;
}

function Shadow({ shadow, reload }) {
	const [open, setOpen] = useState(null);
	const [part, setPart] = useState(shadow.percent || 10);
	const running = ["active", "waiting"].includes(shadow.state);
	const choices = running ? choicesOf(shadowKinds(shadow, part)) : [];
	const waysTo = (act) => choices.filter(({ id }) =>
	    id === act || id === `propose.${act}`);
	const opens = (act) => waysTo(act).length > 0 && (() => setOpen(act));
	useKeys({ "shadow.rollout": opens("rollout"),
	    "shadow.promote": opens("promote"), "shadow.end": opens("end") });
	const here = useHere();
	function done(choice) {
		if (!here())
			return;
		setOpen(null);
		if (choice.id === "promote" && shadow.kind === "ruleset")
			go(href("/rules/:type/versions/:version",
			    { type: shadow.eventType, version: shadow.version }));
		else
			reload();
	}
	const labelled = shadow.labels.fraud + shadow.labels.legit;
	return html`<div class="actions">
		<${Badge} tone=${running ? "info" : "plain"}>${
		    t(`backtest.state.${shadow.state}`)}</${Badge}>
		${opens("promote") && html`<${Button} kind="primary"
			command="shadow.promote" onClick=${opens("promote")}>
			${openLabel(waysTo("promote"))}</${Button}>`}
		${opens("rollout") && html`<${Button} command="shadow.rollout"
			onClick=${opens("rollout")}>${openLabel(waysTo("rollout"))}
			</${Button}>`}
		${opens("end") && html`<${Button} command="shadow.end"
			onClick=${opens("end")}>${t("release.end")}</${Button}>`}
	</div>
	<${Numbers} shadow=${shadow} labelled=${labelled} />
	${shadow.arms && html`<${Arms} arms=${shadow.arms} />`}
	<${Origin} shadow=${shadow} />
	<${Examples} examples=${shadow.examples} />
	${shadow.kind === "ruleset" && html`<${Changes} type=${shadow.eventType}
		version=${shadow.version} />`}
	<${Comparison} shadow=${shadow} labelled=${labelled} />
	${open && html`<${Release} title=${t("backtest.change", shadow)}
		choices=${waysTo(open)} onClose=${() => setOpen(null)} onDone=${done}>
		${open === "rollout" && html`<${Percentage} value=${part}
			now=${shadow.percent} onInput=${setPart} />`}
	</${Release}>`}`;
}

export default function ShadowScreen({ params: { type, id } }) {
	const load = useLoad((signal) => call("GET /v1/model/shadow", { signal }),
	    [type, id], { every: EVERY_MS });
	const found = load.data?.find((one) => one.eventType === type &&
	    one.id === id);
	return html`<${Page} title=${found ? t("backtest.of", found) : type}
		crumbs=${[[t("nav.backtests"), href("/backtests")],
		    [t("backtest.shadows"), href("/backtests", {}, { tab: "shadows" })]]}
		actions=${html`<${Cli} words="shadow show" operands=${[type]} />`}>
		<${Loaded} load=${load}>${() => found === undefined ?
		    html`<${Empty} title=${t("backtest.gone")}><a href=${href(
			"/rules/:type/versions", { type })}>${
			t("backtest.gone.versions", { type })}</a></${Empty}>` :
		    html`<${Shadow} shadow=${found} reload=${load.reload} />`}
		</${Loaded}></${Page}>`;
}
