-- SPDX-License-Identifier: ISC
-- Cards of models, and shadows that the companion has begun.
-- locks: model writes moment
-- locks: shadow all moment

-- What a training knew of the model that it made.
create table assay.model_card (
	hash text collate "C" primary key references assay.model,
	card text collate "C" not null check (octet_length(card) <= 262144)
);

-- The companion trained this shadow model, and may replace it by a newer one.
alter table assay.shadow add column challenger boolean not null default false;
