// SPDX-License-Identifier: ISC
// The events that get another verdict from a candidate than from what is active:
// their sums by pair of verdicts, and all of them in a table, by page.
import { html, useEffect, useRef, useState } from
    "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { amount, number } from "../format.js";
import { Icon } from "../icons.js";
import { href } from "../router.js";
import { exact, t } from "../text.js";
import { Badge, Verdict } from "../ui/badge.js";
import { Ends, Id } from "../ui/copy.js";
import { Select } from "../ui/form.js";
import { Money } from "../ui/money.js";
import { Table } from "../ui/table.js";
import { Time } from "../ui/time.js";
import { useAttempt } from "../ui/toast.js";
import "./impact-text.js";

// The rows of a page.
export const FLIPS = 50;

// Characters of a user's id.
const MOST_IN_USER = 18;

const nameOf = (from, to) => `${from} ${to}`;

// The samples are decided again for each page.
async function pageOf(request, pair, before, signal) {
	const [flipsFrom, flipsTo] = pair === "" ? [] : pair.split(" ");
	const { active } = await call("POST /v1/backtest", { signal, reads: true,
	    body: { ...request, flips: FLIPS, flipsFrom, flipsTo,
		flipsBefore: before } });
	return active;
}

// useFlips(active, request): the first page is in the answer; without a request
// there is no other.  A new answer begins again with all pairs.
function useFlips(active, request) {
	const [state, setState] = useState(null);
	const abort = useRef(null);
	const [busy, attempt] = useAttempt({ reads: true });
	useEffect(() => () => abort.current?.abort(), []);
	const { pair, pages } = state?.active === active ? state :
	    { pair: "", pages: [active] };
	const last = pages.at(-1);
	async function load(next, before, earlier) {
		if (busy)
			return;
		const { signal } = abort.current = new AbortController();
		const page = await attempt(() => pageOf(request, next, before, signal),
		    { failed: () => signal.aborted });
		if (page)
			setState({ active, pair: next, pages: [...earlier, page] });
	}
	function choose(next) {
		if (request && next !== "")
			load(next, undefined, []);
		else
			setState({ active, pair: next, pages: [active] });
	}
	return { busy, pair, choose,
	    rows: pages.flatMap(({ flipped = [] }) => flipped).filter((row) =>
		pair === "" || pair === nameOf(row.active, row.candidate)),
	    more: request && last.next ? { busy,
		load: () => load(pair, last.next, pages) } : undefined };
}

function Label({ label }) {
	return label === null ? html`<span class="muted">–</span>` :
	    html`<${Badge} tone=${label === "fraud" ? "bad" : "good"}>${
		t(`impact.${label}`)}</${Badge}>`;
}

const columns = () => [
	{ id: "time", label: t("time"), zoned: true, decides: true,
	    cell: ({ decidedAt }) => html`<${Time} at=${decidedAt} />` },
	{ id: "event", label: t("impact.event"), main: true, long: true,
	    cell: ({ eventId }) => html`<code><${Ends} text=${exact(eventId)} /></code>` },
	{ id: "active", label: t("impact.before"), decides: true,
	    cell: ({ active }) => html`<${Verdict} verdict=${active} />` },
	{ id: "candidate", label: t("impact.after"), decides: true,
	    cell: ({ candidate }) => html`<${Verdict} verdict=${candidate} />` },
	{ id: "amount", label: t("impact.amount"), align: "end", decides: true,
	    cell: (row) => amount(row.amount, row.currency) },
	{ id: "label", label: t("impact.label"),
	    cell: ({ label }) => html`<${Label} label=${label} />` },
	{ id: "user", label: t("impact.user"), long: true,
	    cell: ({ userId }) => userId === null ?
		html`<span class="muted">–</span>` : html`<${Id} id=${userId}
		href=${href("/decisions", {}, { userId })} most=${MOST_IN_USER} />` },
];

function Pairs({ pairs }) {
	return html`<div class="table-box" tabindex="0" role="region"
		aria-label=${t("impact.pairs")}><table class="mix"><thead><tr>
			<th scope="col">${t("impact.verdict")}</th>
			<th scope="col" class="end">${t("impact.events")}</th>
			<th scope="col" class="end">${t("impact.fraud")}</th>
			<th scope="col" class="end">${t("impact.legit")}</th>
			<th scope="col" class="end">${t("impact.money")}</th></tr></thead>
		<tbody>${pairs.map(({ from, to, samples, fraud, legit,
		    amounts = {} }) => html`<tr key=${nameOf(from, to)}>
			<th scope="row" class="nowrap"><${Verdict} verdict=${from} />
				<${Icon} name="arrow-right" size=${12} />
				<span class="hidden">${t("impact.to")}</span>
				<${Verdict} verdict=${to} /></th>
			<td class="end">${number(samples)}</td>
			<td class="end">${number(fraud)}</td>
			<td class="end">${number(legit)}</td>
			<td class="end"><${Money} amounts=${amounts} /></td></tr>`)}
		</tbody></table></div>`;
}

// Flips active request: the member active of a backtest; request is its body, null
// for a kept result.
export function Flips({ active, request = null }) {
	const { busy, pair, choose, rows, more } = useFlips(active, request);
	if (active.flips === 0)
		return html`<p class="muted">${t("impact.flips.none")}</p>`;
	const pairs = active.flipsByPair;
	const chosen = pairs.find(({ from, to }) => nameOf(from, to) === pair);
	const of = chosen?.samples ?? active.flips;
	const options = pairs.map(({ from, to }) => [nameOf(from, to),
	    t("impact.pair", { from: t(`verdict.${from}`),
		to: t(`verdict.${to}`) })]);
	return html`<div class="stack flips"><${Pairs} pairs=${pairs} />
		<div class="filters"><${Select} label=${t("impact.show")} value=${pair}
			disabled=${busy} options=${[["", t("impact.show.all")], ...options]}
			onInput=${choose} />
			<p class="line muted" role="status">${busy ?
			    t("impact.loading") :
			    t("impact.shown", { n: rows.length, of })}</p></div>
		<${Table} label=${t("impact.flips")} rows=${rows} columns=${columns()}
			keyOf=${({ id }) => id} more=${more}
			href=${({ eventId }) => href("/decisions/:id",
			    { id: eventId })} />
		${more && html`<p class="muted">${t("impact.again")}</p>`}
		${!request && rows.length < of && html`<p class="muted">${
		    t("impact.kept", { n: FLIPS })}</p>`}</div>`;
}
