-- SPDX-License-Identifier: ISC
-- Rulesets and policies: versions, the active one, and the epochs.
\pset tuples_only on
\pset format unaligned
\pset null -

select * from assay.ruleset_publish('card.refund', 'v2', 'two', 1, 'ann@example.com');
select * from assay.ruleset_publish('card.refund', 'v2', 'other', 1, 'bea@example.com');
select * from assay.ruleset_publish('card.capture', 'v2', 'two', 1, 'ann@example.com');
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
    '[{"verdict":"deny","min":0,"max":100}]', 'ann@example.com');
select * from assay.policy_publish('pol_card_refund', 'v2', 'fail_open', '[]', 'bea@example.com');
select * from assay.policy_publish('pol_none', 'v2', 'fail_open', '[]', 'bea@example.com');
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

-- Versions show who published them; the seed has no author.
create function pg_temp.facts(versions text) returns setof text language sql
return (select string_agg(concat_ws(' ', v ->> 'version', v ->> 'author',
	v ->> 'active', v ->> 'shadow', v ->> 'rules', v ->> 'onError'), ', ')
    from json_array_elements(versions::json) v);
select pg_temp.facts(assay.ruleset_versions('card.refund'));
select pg_temp.facts(assay.ruleset_versions('card.none'));
select refusal, pg_temp.facts(body) from assay.policy_versions('pol_card_refund');
select * from assay.policy_versions('pol_none');
select refusal, pg_temp.facts('[' || body || ']')
from assay.policy_version('pol_card_refund', 'v2');
select refusal from assay.policy_version('pol_card_refund', 'v3');
select refusal from assay.policy_version('pol_none', 'v2');
