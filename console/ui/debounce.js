// SPDX-License-Identifier: ISC
// Answers that follow what the operator types.
import { useLayoutEffect, useRef, useState } from "../../third_party/preact/preact.js";

// useDebounced(load, deps, ms): when deps have not changed for ms milliseconds, the
// answer of load(abortSignal); a change of deps aborts the request.  ms null: only
// run() loads.  Returns { data, error, loading, stale, run }: data is that of the
// last answer, stale says that deps have changed since.
export function useDebounced(load, deps, ms) {
	const [state, setState] = useState({ data: null, error: null,
	    loading: false, stale: true });
	const latest = useRef({ load, abort: null });
	latest.current.load = load;

	async function run() {
		latest.current.abort?.abort();
		const mine = latest.current.abort = new AbortController();
		setState((old) => ({ ...old, loading: true }));
		let change;
		try {
			change = { error: null, stale: false,
			    data: await latest.current.load(mine.signal) };
		} catch (error) {
			change = { error, stale: false };
		}
		if (!mine.signal.aborted)
			setState((old) => ({ ...old, ...change, loading: false }));
	}

	useLayoutEffect(() => {
		setState((old) => ({ ...old, stale: true, loading: false }));
		const timer = ms === null ? null : setTimeout(run, ms);
		return () => {
			clearTimeout(timer);
			latest.current.abort?.abort();
		};
	}, [...deps, ms]);
	return { ...state, run };
}
