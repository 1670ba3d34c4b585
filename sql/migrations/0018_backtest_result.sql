-- SPDX-License-Identifier: ISC
-- The results of the last long backtests.

create table assay.backtest_result (
	id text primary key, -- sorts by time
	event_type text not null,
	author text not null, -- personal: an operator's email
	finished_at timestamptz not null default now(),
	body text not null -- the answer, JSON
);
