-- SPDX-License-Identifier: ISC
-- Rulesets and policies: versions, the active one, and the epochs.
\pset tuples_only on
\pset format unaligned
\pset null -

select * from assay.ruleset_publish('card.refund', 'v2', 'two');
select * from assay.ruleset_publish('card.refund', 'v2', 'other');
select * from assay.ruleset_publish('card.capture', 'v2', 'two');
select event_type, version, text from assay.ruleset where version = 'v2'
order by 1;
select version from assay.ruleset_active where event_type = 'card.refund';
select rules, policies from assay.epoch;

-- A rollback to the active version does not bump the epoch.
select assay.ruleset_activate('card.refund', 'v2');
select rules, policies from assay.epoch;
select assay.ruleset_activate('card.refund', 'seed@v0.4');
select version from assay.ruleset_active where event_type = 'card.refund';
select rules, policies from assay.epoch;

-- A rollback to an unknown version is refused.
select assay.ruleset_activate('card.refund', 'v3');

select * from assay.policy_publish('pol_card_refund', 'v2', 'fail_closed',
    '[{"verdict":"deny","min":0,"max":100}]');
select * from assay.policy_publish('pol_card_refund', 'v2', 'fail_open', '[]');
select * from assay.policy_publish('pol_none', 'v2', 'fail_open', '[]');
select event_type, version, id, on_error, bands from assay.policy
where version = 'v2';
select * from assay.policy_history('pol_card_refund');
select * from assay.policy_history('pol_none');
select assay.policy_list()::json -> 2;
select rules, policies from assay.epoch;

select * from assay.policy_rollback('pol_card_refund', 'v2');
select rules, policies from assay.epoch;
select * from assay.policy_rollback('pol_card_refund', 'v0.4.0');
select version from assay.policy_active where event_type = 'card.refund';
select rules, policies from assay.epoch;
select * from assay.policy_rollback('pol_card_refund', 'v3');
select * from assay.policy_rollback('pol_none', 'v2');
