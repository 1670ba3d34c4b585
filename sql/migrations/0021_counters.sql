-- SPDX-License-Identifier: ISC
-- What companions count for the metrics, since they come and go: of metric,
-- the combination of the values first and second of its labels.
create table assay.counter (
	metric text not null,
	first int not null,
	second int not null,
	n bigint not null,
	primary key (metric, first, second)
) with (fillfactor = 50);
