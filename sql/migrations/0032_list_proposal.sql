-- SPDX-License-Identifier: ISC
-- Analysts propose list entries, and see only their own proposals.

alter table assay.proposal
	-- The least role that may propose the action.
	add least_role text not null default 'author'
	    check (least_role in ('analyst', 'author', 'admin'));

-- Earlier programs call these without the operator and the role.
drop function if exists assay.proposal_role(text, text[]);
drop function if exists assay.proposal_page(text, bigint, text);
drop function if exists assay.proposal_get(text);
drop function if exists assay.proposal_create(text, text, text, text, text, text,
    text, text, text);
