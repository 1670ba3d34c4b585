// SPDX-License-Identifier: ISC
// Where a text of rules stands: whether it is active, in shadow or proposed.
// canonicalOf(version): as POST /v1/rules/check prints it; the text as it is if no
// release of today compiles it.
export function canonicalOf({ rules, tests, velocities, text }) {
	return rules === null ? text :
	    [...velocities.map(({ name, definition }) => `velocity ${name} = ${definition}`),
		...[...rules, ...tests].map(({ dsl }) => dsl)]
		.map((line) => `${line}\n`).join("");
}

// remaining(draft, value, version, same): what stays a draft, or null, after a version
// with this value is published: what was written meanwhile, as a change to it.
export function remaining(draft, value, version, same) {
	return draft === undefined || same(draft.value, value) ? null :
	    { value: draft.value, base: version };
}

// standing(text, canonical, places): the places where this text stands.  Each gets
// exact: false if only comments and layout differ.  canonical is null as long as it is
// not known.
export function standing(text, canonical, places) {
	return places.filter((place) => place.text === text ||
	    (canonical !== null && place.canonical === canonical))
	    .map((place) => ({ ...place, exact: place.text === text }));
}
