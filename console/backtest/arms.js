// SPDX-License-Identifier: ISC
// A rollout: for how many users it decides, and its arms side by side.
import { html } from "../../third_party/preact/preact.js";
import { verdicts } from "../events.js";
import { amount, number, percent, wholePercent } from "../format.js";
import { t } from "../text.js";
import { Choice } from "../ui/form.js";
import { Section } from "../ui/page.js";
import { Table } from "../ui/table.js";
import "./text.js";

const STEPS = [0, 1, 5, 10, 25, 50, 100];
const SIDES = ["live", "shadow"];

// Percentage value now onInput: for how many users the shadow is to decide.
export function Percentage({ value, now, onInput }) {
	const steps = [...new Set([...STEPS, now])].sort((a, b) => a - b);
	return html`<${Choice} label=${t("backtest.percent")} hideLabel=${false}
		value=${String(value)} onInput=${(text) => onInput(Number(text))}
		options=${steps.map((step) => [String(step), wholePercent(step / 100)])} />`;
}

const armColumns = () => [
	{ id: "side", label: t("backtest.arm"), main: true,
	    cell: ({ side }) => t(`backtest.${side}`) },
	{ id: "decisions", label: t("backtest.decisions"), align: "end",
	    cell: (row) => number(row.decisions) },
	...verdicts.map((verdict) => ({ id: verdict, label: t(`verdict.${verdict}`),
	    align: "end", cell: (row) => row.decisions === 0 ? "–" :
		percent(row.verdicts[verdict] / row.decisions) })),
	...["truePositives", "falseNegatives", "falsePositives"].map((id) => ({ id,
	    label: t(`backtest.${id}`), align: "end",
	    cell: (row) => number(row.results[id]) })),
];

const amountColumns = () => [
	{ id: "side", label: t("backtest.arm"), main: true,
	    cell: ({ side }) => t(`backtest.${side}`) },
	...[["caught", "truePositives"], ["missed", "falseNegatives"],
	    ["held", "falsePositives"]].map(([id, label]) => ({ id, align: "end",
	    label: t(`backtest.${label}`),
	    cell: (row) => amount(row.sums[id], row.currency) })),
];

// Arms arms: what each side decided for its users, and the amounts of labelled events.
export function Arms({ arms }) {
	const rows = SIDES.map((side) => ({ side, ...arms[side] }));
	const sums = SIDES.flatMap((side) =>
	    Object.entries(arms[side].results.amounts).map(([currency, of]) =>
		({ side, currency, sums: of })));
	return html`<${Section} title=${t("backtest.arms")} class="flush"><${Table}
		label=${t("backtest.arms")} columns=${armColumns()} rows=${rows}
		keyOf=${({ side }) => side} /></${Section}>
	${sums.length > 0 && html`<${Section} title=${t("backtest.amounts")}
		class="flush"><${Table} label=${t("backtest.amounts")}
		columns=${amountColumns()} rows=${sums}
		keyOf=${({ side, currency }) => `${side} ${currency}`} /></${Section}>`}`;
}
