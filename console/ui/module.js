// SPDX-License-Identifier: ISC
// A module that a part of the page waits for.
import { useLayoutEffect, useState } from "../../third_party/preact/preact.js";

// useModule(id, load): { module, error, again }: the module that load() imports, when it
// has arrived, or why it has not.  again() tries once more; after another failure it
// loads the page, whose files may have new addresses.  The id says for which module
// this is.
export function useModule(id, load) {
	const [last, setState] = useState({});
	const state = last.id === id ? last : { id, failures: 0 };
	useLayoutEffect(() => {
		let gone = false;
		const set = (change) => gone || setState({ ...state, ...change });
		load?.().then((module) => set({ module }),
		    (error) => set({ error, failures: state.failures + 1 }));
		return () => { gone = true; };
	}, [id, state.tries]);
	return { ...state, again: () => state.failures > 1 ? location.reload() :
	    setState({ id, failures: state.failures, tries: state.failures }) };
}
