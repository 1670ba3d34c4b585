// SPDX-License-Identifier: ISC
// Backtests that this page has started: they go on while it shows other screens.
import { call } from "../api.js";
import { signal } from "../store.js";
import { FLIPS } from "./flips.js";

// { id, title, request, at, result, error, abort }, the newest first.
export const runs = signal([]);
let last = 0;

function change(id, part) {
	runs.value = runs.value.map((run) => run.id === id ? { ...run, ...part } :
	    run);
}

// startRun(title, request): request is the body of POST /v1/backtest.  Returns its
// id.
export function startRun(title, request) {
	const id = String(++last);
	const abort = new AbortController();
	runs.value = [{ id, title, request, at: new Date().toISOString(), abort,
	    result: null, error: null }, ...runs.value];
	call("POST /v1/backtest", { signal: abort.signal,
	    body: { ...request, flips: FLIPS } })
	    .then((result) => change(id, { result }),
	    (error) => abort.signal.aborted ? dropRun(id) :
		change(id, { error }));
	return id;
}

// The service stops a backtest when its caller goes away.
export function stopRun(id) {
	runs.value.find((run) => run.id === id)?.abort.abort();
}

export function dropRun(id) {
	runs.value = runs.value.filter((run) => run.id !== id);
}
