// SPDX-License-Identifier: ISC
// Sums of money.
import { html } from "../../third_party/preact/preact.js";
import { amount } from "../format.js";

// A sum without the last digits, in which the parts may differ from it.
const rounded = (sum) => Number(sum.toPrecision(15));

// Money amounts: { EUR: 12 }, one line a currency.
export function Money({ amounts }) {
	const all = Object.entries(amounts);
	return all.length === 0 ? html`<span class="muted">–</span>` :
	    html`<span class="money">${all.map(([currency, value]) =>
		html`<span key=${currency}>${amount(rounded(value), currency)}
		</span>`)}</span>`;
}
