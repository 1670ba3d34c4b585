// SPDX-License-Identifier: ISC
// State: signals that components follow, and data that is loaded from the API.
import { effect, signal, useLayoutEffect, useMemo, useRef, useState }
    from "../third_party/preact/preact.js";
import { skew } from "./api.js";

// useSignal SIGNAL: its value; the component renders again when it changes.
export function useSignal(source) {
	const [, render] = useState(0);
	useLayoutEffect(() => {
		let first = true;
		return source.subscribe(() => {
			if (!first)
				render((n) => n + 1);
			first = false;
		});
	}, [source]);
	return source.value;
}

// True while the page is in a hidden tab.
const hidden = signal(false);

// loader(load, options): data that load(abortSignal) returns as a promise.
//
//	state	a signal: { data, error, loading, at, asOf, kept }.  While data is
//		loaded again, and after a failure, the previous data stays; asOf is
//		its time by the clock of the service.  at: when the last load ended.
//		kept: true as long as the data is kept, which answers another
//		question; after a failure it is gone.
//	reload()	load now; an earlier answer that comes late is dropped
//	set(data)	replace the data without a request
//	stop()	abort the request and stop polling
//
// options.every: milliseconds between the end of a load and the next one, as
// long as the page is visible.  options.begin: members of the first state.
export function loader(load, { every = 0, begin = {} } = {}) {
	const state = signal({ data: undefined, error: null, loading: true, at: 0,
	    asOf: null, kept: false, ...begin });
	let abort = null, timer = null, stopped = false;

	function later() {
		clearTimeout(timer);
		if (every > 0 && !stopped)
			timer = setTimeout(() => hidden.value ? later() : reload(),
			    every);
	}

	const answered = (data) => ({ data, error: null, kept: false,
	    asOf: new Date(Date.now() + skew.value).toISOString() });
	const failed = (error) => state.value.kept ?
	    { data: undefined, error, kept: false } : { error };

	async function reload() {
		clearTimeout(timer);
		abort?.abort();
		const mine = abort = new AbortController();
		state.value = { ...state.value, loading: true };
		let change;
		try {
			change = answered(await load(mine.signal));
		} catch (error) {
			change = failed(error);
		}
		if (mine.signal.aborted)
			return;
		state.value = { ...state.value, ...change, loading: false,
		    at: Date.now() };
		later();
	}

	return {
		state,
		reload,
		set(data) {
			state.value = { ...state.value, ...answered(data) };
		},
		stop() {
			stopped = true;
			clearTimeout(timer);
			abort?.abort();
		},
	};
}

// useLoad(load, deps, options): a loader that lives as long as the component and
// starts again when a dep changes.  Returns the members of its state, reload, set and
// keep.  keep: true keeps the data of the previous deps until the next answer.  A text
// does so too, and names the question: as long as it is the same, the data answers it.
export function useLoad(load, deps, { every = 0, keep = false } = {}) {
	const last = useRef({ data: undefined });
	const mine = useMemo(() => {
		const { data, asOf, kept, keep: question } = last.current;
		return loader(load, { every,
		    begin: !keep || data === undefined ? {} : { data, asOf,
			kept: kept || keep === true || keep !== question } });
	}, deps);
	// An effect that waits for the next frame would delay the request.
	useLayoutEffect(() => {
		mine.reload();
		return mine.stop;
	}, [mine]);
	const state = useSignal(mine.state);
	last.current = { ...state, keep };
	return { ...state, reload: mine.reload, set: mine.set, keep };
}

// Follow the visibility of the page; the app calls this once.
export function followVisibility() {
	hidden.value = document.hidden;
	document.addEventListener("visibilitychange", () => {
		hidden.value = document.hidden;
	});
}

export { effect, signal };
