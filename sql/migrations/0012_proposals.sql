-- SPDX-License-Identifier: ISC
-- Proposals: changes that wait for a second person.

-- A request that an author has proposed, and its decision.  A proposal never
-- changes, except for its decision.  Proposals are kept as long as the audit
-- trail; assay.proposal_end() and others remove the personal columns.  Ids sort
-- by time.
create table assay.proposal (
	id text primary key,
	action text not null, -- method and path
	subject text not null check (subject in ('rules', 'policies',
	    'shadow', 'retention', 'erasure', 'lists')),
	-- What the action changes: an event type, the id of a policy, 'model',
	-- a list entry as "kind subject value" or by its id.  Personal for lists.
	target text,
	-- Personal for erasure and lists: the body of the request as JSON; of a
	-- CSV file a string.  Null: it has none, or it is removed.
	body text,
	digest text, -- SHA-256 of action and body; removed with the body
	-- What was active when the proposal was made, by assay.proposal_state();
	-- and its text before and after the change.  Personal for lists.
	base text,
	before text,
	after text,
	reason text not null, -- personal: free text
	author text not null, -- personal: an operator's email
	created_at timestamptz not null default clock_timestamp(),
	-- A proposal that runs in several transactions is 'running' until the
	-- last one, and then 'approved' or 'failed'.
	status text not null default 'pending' check (status in ('pending',
	    'running', 'approved', 'failed', 'rejected', 'withdrawn',
	    'expired')),
	decided_by text, -- personal: an operator's email
	decided_at timestamptz,
	decision_reason text -- personal: free text
);

-- Finds the proposals that wait.
create index on assay.proposal (id)
where status in ('pending', 'running', 'failed');
