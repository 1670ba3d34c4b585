// SPDX-License-Identifier: ISC
// The bundles that are loaded when the page needs them (tools/bundle.awk), which turns
// each import("./module.js") into bring("BUNDLE.js", ...): the bundles that it needs,
// and the one that has the module.

// bringer(load): a bring() that loads addresses with this function.  The default of a
// bundle makes its modules.  bring(...names) loads bundles at the same time and makes
// each once, in this order.  A browser remembers that a module could not be loaded, so
// another try has another address.
export function bringer(load) {
	const files = new Map();
	const fileOf = (name) => files.get(name) ??
	    files.set(name, { name, failures: 0 }).get(name);
	const arrive = (file) => file.bundle ??= load(`./${file.name}${
	    file.failures > 0 ? `?again=${file.failures}` : ""}`).catch((error) => {
		file.failures++;
		file.bundle = undefined;
		throw error;
	});
	return async (...names) => {
		const all = names.map(fileOf);
		const bundles = await Promise.all(all.map(arrive));
		for (const [i, file] of all.entries())
			if (!file.made) {
				bundles[i].default();
				file.made = true;
			}
	};
}

export const bring = bringer((address) => import(address));
