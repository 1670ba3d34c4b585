// SPDX-License-Identifier: ISC
// The queues on the home page: what waits, since when, and what is the operator's.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { openNext } from "../cases/actions.js";
import { nextLine } from "../cases/commands.js";
import { number } from "../format.js";
import { useKeys } from "../keys.js";
import { href } from "../router.js";
import { can } from "../session.js";
import { useLoad } from "../store.js";
import { t } from "../text.js";
import { Badge } from "../ui/badge.js";
import { Clis } from "../ui/clis.js";
import { Ends } from "../ui/copy.js";
import { Loaded } from "../ui/empty.js";
import { Button, LinkButton } from "../ui/form.js";
import { Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import { Age } from "../ui/time.js";
import { useAttempt } from "../ui/toast.js";

const MOST_IN_QUEUE = 48;

const toQueue = ({ queue }) => href("/cases", {}, { queue });

function columns() {
	return [
		{ id: "queue", label: t("home.queue"), main: true, long: true,
		    cell: ({ queue }) => html`<${Ends} text=${queue}
			most=${MOST_IN_QUEUE} />` },
		{ id: "open", label: t("home.open"), align: "end",
		    cell: ({ open }) => number(open) },
		{ id: "oldest", label: t("home.oldest"), align: "end",
		    cell: ({ oldestAt }) => html`<${Age} at=${oldestAt} />` },
		{ id: "assigned", label: t("home.assigned"), align: "end",
		    cell: ({ assigned }) => number(assigned) },
		{ id: "late", label: t("home.late"), align: "end",
		    cell: ({ breached }) => breached === 0 ? "0" :
		    html`<${Badge} tone="bad">${number(breached)}</${Badge}>` },
	];
}

// The next case of all queues.
function Next() {
	const [busy, attempt] = useAttempt();
	const next = () => openNext(attempt, {});
	useKeys({ "case.next": next });
	return html`<${Button} kind="primary" icon="arrow-right" busy=${busy}
		command="case.next" onClick=${next}>${t("home.next")}</${Button}>`;
}

// every: milliseconds between two looks.
export function Work({ every }) {
	const load = useLoad((signal) => call("GET /v1/queues", { signal }), [],
	    { every });
	const rows = load.data?.queues ?? [];
	const mine = rows.reduce((sum, row) => sum + row.mine, 0);
	return html`<${Section} title=${t("home.cases")} class="flush" actions=${html`
		${mine > 0 && html`<${LinkButton} href=${href("/cases", {},
		    { state: "mine" })}>${t("home.mine", { n: mine })}</${LinkButton}>`}
		<${LinkButton} icon="inbox" href=${href("/cases")}>
			${t("home.work")}</${LinkButton}>
		<${Clis} lines=${[{ name: t("home.cases"), words: "queues list" },
		    { name: t("home.next"), ...nextLine({}) }]} />
		${can("cases.work") && html`<${Next} />`}`}>
		<${Loaded} load=${load} lines=${2}>${() => html`<${Table}
			label=${t("home.cases")} columns=${columns()} rows=${rows}
			keyOf=${({ queue }) => queue} href=${toQueue}
			empty=${html`<p class="quiet-line">${t("home.idle")}</p>`} />`}
		</${Loaded}></${Section}>`;
}
