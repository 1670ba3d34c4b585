-- SPDX-License-Identifier: ISC
-- Who published each version of a ruleset or policy.  Versions from before have
-- no author.

alter table assay.ruleset
	add author text, -- personal: an operator's email
	add rules integer; -- their number; null for earlier versions
alter table assay.policy
	add author text; -- personal: an operator's email

-- The versions of rulesets with what is true of them now.
create view assay.ruleset_version as
select r.event_type, r.version, r.author, r.created_at, r.rules, r.text,
	exists (select from assay.ruleset_active a
	    where a.event_type = r.event_type and a.version = r.version)
	    as active,
	exists (select from assay.shadow_candidate c
	    where c.kind = 'ruleset' and c.slot = r.event_type
		and c.version = r.version) as shadow
from assay.ruleset r;
