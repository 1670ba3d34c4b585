// SPDX-License-Identifier: ISC
// The kinds of entities of the graph, as the API spells them, and their events.
import { number } from "../format.js";
import { t } from "../text.js";
import "./text.js";

export const ENTITY_KINDS = ["user", "device", "ip", "phone"];

// The service reads so many decisions of a user.
const MOST_OF_USER = 200;

// eventsText(kind, risk): how many events an entity had.
export function eventsText(kind, { events }) {
	return kind === "user" && events >= MOST_OF_USER ?
	    t("entity.events.most", { n: MOST_OF_USER }) : number(events);
}
