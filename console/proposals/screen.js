// SPDX-License-Identifier: ISC
// The changes that wait for a second person, and those that are decided.
import { html } from "../../third_party/preact/preact.js";
import { call } from "../api.js";
import { href } from "../router.js";
import { can, session } from "../session.js";
import { useLoad, useSignal } from "../store.js";
import { t } from "../text.js";
import "./text.js";
import { Cli } from "../ui/copy.js";
import { Empty, Loaded } from "../ui/empty.js";
import { Note, Page, Section, Tabs } from "../ui/page.js";
import { ProposalState, subjectOf } from "./state.js";
import { Table } from "../ui/table.js";
import { Age } from "../ui/time.js";

const EVERY_MS = 15000;
const LIMIT = 100;

const columns = () => [
	{ id: "what", label: t("proposals.what"), main: true, cell: (row) =>
	    [subjectOf(row), row.target, row.version].filter(Boolean).join(" ") },
	{ id: "reason", label: t("proposals.reason"), cell: ({ reason }) => reason },
	{ id: "author", label: t("proposals.author"), cell: ({ author }) => author },
	{ id: "state", label: t("proposals.state"),
	    cell: (row) => html`<${ProposalState} proposal=${row} />` },
	{ id: "decided", label: t("proposals.by"),
	    cell: ({ decidedBy }) => decidedBy ?? "" },
	{ id: "age", label: t("proposals.age"), align: "end",
	    cell: ({ createdAt }) => html`<${Age} at=${createdAt} />` },
];

export default function Proposals({ query }) {
	const all = query.show === "all";
	const { me } = useSignal(session);
	const load = useLoad((signal) => call("GET /v1/proposals", { signal,
	    query: { status: all ? null : "pending", limit: LIMIT } }), [all],
	{ every: EVERY_MS });
	const subjects = me.fourEyes ?? [];
	return html`<${Page} title=${t("nav.proposals")}
		lead=${t(can("rules.propose") ? "proposals.lead" : "proposals.lead.own")}
		actions=${html`<${Cli} words="proposals list"
			options=${{ status: all ? null : "pending" }} />`}>
		${subjects.length === 0 && can("proposals.decide") && html`<${Note}>${
		    t("proposals.off")}</${Note}>`}
		<${Tabs} label=${t("proposals.state")} value=${all ? "all" : "pending"}
			items=${[["pending", t("proposals.pending"), href("/proposals")],
			    ["all", t("proposals.all"),
				href("/proposals", {}, { show: "all" })]]} />
		<${Section} class="flush"><${Loaded} load=${load}>${(rows) => html`<${Table}
			label=${t("nav.proposals")} rows=${rows} keyOf=${({ id }) => id}
			columns=${columns()} href=${({ id }) => href("/proposals/:id",
			{ id })} empty=${html`<${Empty} icon="circle-check" title=${t(all ?
			"proposals.none" : "proposals.none.pending")} />`} />`}
		</${Loaded}></${Section}></${Page}>`;
}
