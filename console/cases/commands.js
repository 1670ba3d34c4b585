// SPDX-License-Identifier: ISC
// The assayctl command of each act on a case, as Cli of ui/copy.js takes it.
import { skew } from "../api.js";
import { nextBody } from "./query.js";

const HOUR_MS = 3600000;
const DAY_HOURS = 24;

// untilIn HOURS: the time of the service so many hours from now.
export function untilIn(hours) {
	return new Date(Date.now() + skew.value + hours * HOUR_MS).toISOString();
}

// ID -> { words, operands, options }; the second argument is what the dialog of the
// act asks for.
export const caseLines = {
	show: (id) => ({ words: "cases show", operands: [id] }),
	take: (id) => ({ words: "cases assign", operands: [id] }),
	release: (id) => ({ words: "cases release", operands: [id] }),
	handOver: (id, to = "") => ({ words: "cases hand-over",
	    operands: [id, to || "EMAIL"] }),
	snooze: (id, hours = DAY_HOURS) => ({ words: "cases snooze", operands: [id],
	    options: hours % DAY_HOURS === 0 ? { days: hours / DAY_HOURS } :
		{ until: untilIn(hours) } }),
	wake: (id) => ({ words: "cases wake", operands: [id] }),
	reopen: (id, note = "") => ({ words: "cases reopen", operands: [id],
	    options: { note: note || null } }),
	note: (id, text = "") => ({ words: "cases note",
	    operands: [id, text || "TEXT"] }),
};

// nextLine QUERY: the command that gets the next case of a list.
export function nextLine(query) {
	return { words: "cases next", options: nextBody(query) };
}
