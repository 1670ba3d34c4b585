-- SPDX-License-Identifier: ISC
-- What a proposal about rules or a policy publishes or tries, also after its body is
-- removed.

alter table assay.proposal
	add version text collate "C", -- null: the request names none
	add shadow boolean not null default false; -- it begins a shadow

update assay.proposal p
set version = coalesce(p.body::json ->> 'version', p.body::json ->> 'toVersion'),
	shadow = p.subject = 'rules'
	    and coalesce(p.body::json ->> 'shadow' = 'true', false)
where p.subject in ('rules', 'policies') and p.body is not null;

-- Finds the proposal that a shadow came of.
create index on assay.proposal (target, version)
where shadow and status = 'approved';
