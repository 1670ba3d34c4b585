-- SPDX-License-Identifier: ISC
-- Proposals of several changes of the configuration at once.

alter table assay.proposal
	drop constraint proposal_subject_check,
	add constraint proposal_subject_check check (subject in ('rules',
	    'policies', 'shadow', 'retention', 'erasure', 'lists', 'config'));
