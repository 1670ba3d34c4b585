// SPDX-License-Identifier: ISC
// What a typed id may be: pages of the screens' find, without asking the service.
import screens from "./screens.js";
import { allowed } from "./session.js";

// placesOf TEXT: the rows of find whose pattern has the text.  What looks like one
// thing comes before what may be anything.
export function placesOf(text) {
	return screens.filter(allowed).flatMap(({ find = [] }) => find)
	    .filter(({ pattern }) => pattern.test(text))
	    .sort((a, b) => (a.guess ?? 0) - (b.guess ?? 0));
}
