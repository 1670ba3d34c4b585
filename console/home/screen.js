// SPDX-License-Identifier: ISC
// Home: what needs attention, the cases that wait, and the figures of the last days.
import { html } from "../../third_party/preact/preact.js";
import { VerdictDays, newestDays, verdictParts } from "../analytics/days.js";
import { call } from "../api.js";
import { day, number, percent } from "../format.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Ranked, Split } from "../ui/chart.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Page, Section, Stat } from "../ui/page.js";
import { Attention } from "./attention.js";
import "./text.js";
import { Work } from "./work.js";

const EVERY_MS = 30000;
const CHART_DAYS = 30;
const TAGS = 8;

// The newest day of the counts, and the mean of the seven days before it.
function newest(byDay) {
	const days = Object.entries(byDay).sort();
	const [date, { total }] = days.at(-1);
	const before = days.slice(-8, -1).map(([, counts]) => counts.total);
	return { date, total, usual: before.length === 0 ? null :
	    before.reduce((sum, count) => sum + count, 0) / before.length };
}

function Numbers({ totals, cases, byDay, falsePositiveRate }) {
	const { review = 0, deny = 0 } = totals.byVerdict;
	const { date, total, usual } = newest(byDay);
	const share = (count) => percent(count / totals.decisions);
	return html`<div class="stats">
		<${Stat} label=${t("home.newest", { day: day(date) })}
			value=${number(total)} note=${usual !== null &&
			t("home.usual", { n: Math.round(usual) })} />
		<${Stat} label=${t("home.decisions")} value=${number(totals.decisions)} />
		<${Stat} label=${t("home.review")} value=${number(review)}
			note=${share(review)} />
		<${Stat} label=${t("home.deny")} value=${number(deny)}
			note=${share(deny)} />
		<${Stat} label=${t("home.resolved")} value=${number(cases.resolved)}
			note=${t("home.resolved.note", { fraud: cases.fraud })} />
		<${Stat} label=${t("home.false")}
			value=${cases.fraud + cases.legit === 0 ? "–" :
			percent(falsePositiveRate)} note=${t("home.false.note")} />
	</div>`;
}

function Summary({ summary }) {
	if (summary.totals.decisions === 0)
		return html`<${Empty} icon="chart-column" title=${t("home.none")}>
			${t("home.none.text")}</${Empty}>`;
	return html`<${Numbers} ...${summary} />
		<div class="columns">
			<${Section} title=${t("home.days")} class="wide">
				<${VerdictDays} days=${newestDays(summary.byDay, CHART_DAYS)} /></${Section}>
			<${Section} title=${t("home.mix")}>
				<${Split} label=${t("home.mix")}
					parts=${verdictParts(summary.totals.byVerdict)} />
			</${Section}>
			<${Section} title=${t("home.tags")}>
				<${Ranked} label=${t("home.tags")} items=${Object
				    .entries(summary.topTags).map(([label, value]) =>
				    ({ label, value })).slice(0, TAGS)} /></${Section}>
		</div>`;
}

export default function Home() {
	const load = useLoad((signal) => call("GET /v1/analytics/summary",
	    { signal }), [], { every: EVERY_MS });
	return html`<${Page} title=${t("nav.home")}>
		<${Attention} every=${EVERY_MS} />
		<${Work} every=${EVERY_MS} />
		<${Loaded} load=${load} lines=${8}>${(summary) =>
		    html`<${Summary} summary=${summary} />`}</${Loaded}></${Page}>`;
}
