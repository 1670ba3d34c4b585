-- SPDX-License-Identifier: ISC
-- The roles and their rights.  assayctl migrate runs this file after the
-- functions; it may run any number of times.  The roles belong to the cluster:
-- give them passwords, or map them in pg_ident.conf.  t/sql/roles.sql logs in
-- as each role and tries what it must not do.

do $$
declare
	name text;
begin
	foreach name in array array['assay_decide', 'assay_operator',
	    'assay_companion', 'assay_retain']
	loop
		if not exists (select from pg_roles where rolname = name) then
			execute format('create role %I login', name);
		end if;
	end loop;
end
$$;

-- No role of a program owns anything in this schema.  Functions of the owner
-- write to these tables, so a trigger, rule or function that such a role made
-- would run as the owner.  Return tables to the owner and drop what such a
-- role has made, for example after a restore with wrong owners.
do $$
declare
	programs constant name[] := array['assay_decide', 'assay_operator',
	    'assay_companion', 'assay_retain'];
	owner constant name := (select pg_get_userbyid(c.relowner)
	    from pg_class c where c.oid = 'assay.epoch'::regclass);
	found record;
begin
	-- Lock tables in the order in which decisions lock them.
	for found in
		select c.oid::regclass as relation
		from pg_class c
		where c.relnamespace = 'assay'::regnamespace
			and c.relkind in ('r', 'p', 'v', 'm')
			and pg_get_userbyid(c.relowner) = any(programs)
			and pg_get_userbyid(c.relowner) <> owner
		order by array_position(array['idempotency', 'verdict_log',
			'decision_detail']::name[], c.relname), c.relname
	loop
		execute format('alter table %s owner to %I', found.relation,
		    owner);
	end loop;

	-- Assay has no rules on the tables of decisions.
	for found in
		select r.rulename as name, r.ev_class::regclass as relation
		from pg_rewrite r
		where r.ev_class in ('assay.idempotency'::regclass,
			'assay.verdict_log'::regclass, 'assay.decision_detail'::regclass)
			or r.ev_class in (select i.inhrelid from pg_inherits i
			    where i.inhparent in ('assay.verdict_log'::regclass,
				'assay.decision_detail'::regclass))
	loop
		execute format('drop rule %I on %s', found.name, found.relation);
	end loop;

	execute format('alter function assay.partitions_ahead(int) owner to %I',
	    owner);
	for found in
		select p.oid::regprocedure as routine
		from pg_proc p
		where pg_get_userbyid(p.proowner) = any(programs)
			and pg_get_userbyid(p.proowner) <> owner
			and (p.pronamespace = 'assay'::regnamespace
			    or exists (select from pg_trigger t
				join pg_class c on c.oid = t.tgrelid
				where t.tgfoid = p.oid
				    and c.relnamespace = 'assay'::regnamespace))
	loop
		execute format('drop routine if exists %s cascade',
		    found.routine);
	end loop;
end
$$;

grant usage on schema assay to assay_decide, assay_operator, assay_companion,
    assay_retain;

-- Grant nothing to everyone, not even functions.
revoke execute on all routines in schema assay from public;

-- No role creates anything here: functions that run as the owner would call
-- its code.
revoke create on schema assay from public, assay_decide, assay_operator,
    assay_companion, assay_retain;

-- Each session begins with its settings, and the question whether it may use this
-- database.
call assay.grant_execute('assay_decide, assay_operator, assay_companion, assay_retain',
    'session_settings session_refusal schema_status server_timeline');

-- decide reads the configuration, appends decisions and updates state.
grant select on assay.epoch, assay.ruleset, assay.ruleset_active,
    assay.policy, assay.policy_active, assay.migration, assay.list_entry,
    assay.list_subject, assay.rule_exception
    to assay_decide, assay_operator;
grant select, insert on assay.verdict_log to assay_decide;
grant insert on assay.decision_detail to assay_decide;
grant select, insert on assay.idempotency to assay_decide;
grant select, insert, update on assay.user_state, assay.entity to assay_decide;
grant select on assay.velocity to assay_decide, assay_operator;
grant select, insert, update on assay.velocity_state to assay_decide;
grant select on assay.entity_risk to assay_decide;
grant select, insert on assay.entity_link to assay_decide;
grant insert on assay.review_case, assay.case_trail, assay.exception_use
    to assay_decide;
grant select, insert, update, delete on assay.spool_file to assay_decide;
grant select (one, event) on assay.hash_key to assay_decide;
call assay.grant_execute('assay_decide', 'async_add');

-- decide logs degraded and spooled decisions without the details of users who
-- were erased since.  It may ask about one user and time, but cannot list
-- users.
call assay.grant_execute('assay_decide', 'erasure_guard is_erased');

-- Only assay.async_add() fills the queue.
revoke insert on assay.async_queue from assay_decide;

-- companion decides queued events with the same statements.
grant assay_decide to assay_companion;
grant select, update (attempts, not_before), delete on assay.async_queue
    to assay_companion;
call assay.grant_execute('assay_companion', 'async_take async_failed');
call assay.grant_execute('assay_companion',
    'velocity_sync velocity_slice velocity_events velocity_filled
    velocity_forget');
call assay.grant_execute('assay_operator', 'velocities');

-- decide verifies service keys; operator manages keys and operators.
grant select on assay.service_key to assay_decide, assay_operator;
revoke insert, update, delete on assay.service_key, assay.revoked_token
    from assay_operator;
revoke update (revoked_at) on assay.service_key from assay_operator;
revoke insert on assay.operator from assay_operator;
grant select, update (password, password_temporary, session_number)
    on assay.operator to assay_operator;
grant select on assay.revoked_token to assay_operator;
grant select (email, enabled_at) on assay.second_factor to assay_operator;
grant select, insert, update, delete on assay.login_failure,
    assay.login_account, assay.login_address to assay_operator;
call assay.grant_execute('assay_operator',
    'time_text operator_register login_delay login_guess_limit
    login_address_seen login_wait login_count_failure login_prune login_try
    login_clear login_undo operator_json operator_list operator_create
    operator_update operator_logout operator_logout_all second_factor_enabled
    second_factor_status second_factor_find second_factor_offer
    second_factor_enable second_factor_accept second_factor_recover
    second_factor_reseal second_factor_remove service_key_json service_key_list
    service_key_create service_key_revoke');

-- operator publishes rulesets and policies: it adds versions and moves
-- pointers.
grant insert on assay.ruleset, assay.ruleset_active, assay.policy
    to assay_operator;
grant update (version) on assay.ruleset_active, assay.policy_active
    to assay_operator;
grant select on assay.ruleset_version to assay_operator;
grant update (rules, policies) on assay.epoch to assay_operator;
call assay.grant_execute('assay_operator',
    'version_answer ruleset_activate ruleset_publish ruleset_versions
    policy_type policy_activate policy_publish policy_version_json
    policy_versions policy_version policy_histogram attributes_seen
    policy_rollback policy_history policy_list');

-- operator keeps the results of backtests.
grant select, insert, delete on assay.backtest_result to assay_operator;
call assay.grant_execute('assay_operator',
    'sample_first sample_start sample_reach log_pieces backtest_keep
    backtest_kept');

-- operator begins redecisions, and companion decides them.
grant select on assay.redecision, assay.redecision_book, assay.redecision_count,
    assay.redecision_change to assay_operator;
grant select on assay.retention_watermark to assay_companion;
call assay.grant_execute('assay_operator',
    'verdict_severity redecision_state redecision_json redecision_list
    redecision_pairs redecision_get redecision_changes redecision_create
    redecision_cancel');
call assay.grant_execute('assay_companion',
    'log_retained_since sample_reach redecision_claim redecision_books redecision_slice
    redecision_events redecision_store_columns redecision_take_up
    redecision_release redecision_fail');

-- operator manages the lists.
grant insert, update (reason, expires_at), delete on assay.list_entry
    to assay_operator;
grant update (lists) on assay.epoch to assay_operator;
grant update (changed) on assay.list_subject to assay_operator;
call assay.grant_execute('assay_operator',
    'list_json list_bump_epoch list_put list_save list_page list_summary
    list_put_check list_search list_remove');

-- operator makes exceptions and ends them.
grant insert, update (ended_at, ended_by) on assay.rule_exception
    to assay_operator;
grant select on assay.exception_use to assay_operator;
grant update (exceptions) on assay.epoch to assay_operator;
call assay.grant_execute('assay_operator',
    'exception_state exception_json exception_page exception_get
    exception_create exception_end');

-- decide scores with tag weights, operator also in backtests.
grant select on assay.tag_epoch, assay.tag_count
    to assay_decide, assay_operator;

-- decide records chargebacks and may do nothing else with labels.  operator
-- acts on cases through functions that leave a trail, and reads cases, labels
-- and logs.
call assay.grant_execute('assay_decide', 'chargeback_put chargeback_withdraw');
call assay.grant_execute('assay_operator',
    'case_resolution case_due case_note_json case_json case_queues
    case_decisions case_fits case_scan case_page case_get case_assign
    case_hand_over case_release case_snooze case_note_add case_resolve
    cases_resolve case_reopen queue_list queue_put case_next view_json view_list
    view_create view_delete tag_weights_json');
call assay.grant_execute('assay_companion', 'labels_match');
grant select on assay.review_case, assay.verdict_revision, assay.case_trail,
    assay.case_note, assay.case_queue, assay.saved_view, assay.label,
    assay.verdict_log, assay.decision_detail, assay.retention_watermark to assay_operator;
call assay.grant_execute('assay_operator',
    'log_retained_since log_count log_newest log_start_after log_start_of log_fits
    log_item log_verdicts log_details log_details_of_user log_user_is_quiet
    log_page');

-- All roles read the settings, operator changes them.
grant select on assay.setting to assay_decide, assay_operator,
    assay_companion, assay_retain;
grant insert, update (value, changed_at), delete on assay.setting
    to assay_operator;
grant update (settings) on assay.epoch to assay_operator;
call assay.grant_execute('assay_operator', 'setting_put');

-- operator makes, decides and shows proposals through functions of the owner.
grant select on assay.proposal to assay_operator;
call assay.grant_execute('assay_operator',
    'proposal_policy proposal_entry proposal_state proposal_status proposal_json
    proposal_sees_all proposal_page proposal_get proposal_create proposal_begin
    proposal_end proposal_close');

-- operator reads the configuration, and changes it by the functions of its parts.
call assay.grant_execute('assay_operator',
    'config_content config_digest config_etag config_get config_text
    config_begin');

-- operator adds entries to the audit trail through functions of the owner, and
-- companion seals them.  operator publishes events.
revoke insert on assay.audit from assay_operator;
grant select on assay.audit, assay.audit_seal to assay_operator;
call assay.grant_execute('assay_operator', 'audit_add audit_login_failed');
call assay.grant_execute('assay_companion',
    'audit_seal_next audit_mark_logged');
grant select on assay.subscriber to assay_operator;
grant insert on assay.outbox to assay_operator;
call assay.grant_execute('assay_operator', 'audit_page publish');

-- operator reads the graph.
grant select on assay.entity, assay.entity_link, assay.entity_risk
    to assay_operator;
call assay.grant_execute('assay_operator',
    'graph_neighbors graph_of_kind graph_names graph_related graph_user_labels
    graph_facts graph_edges graph_root graph_neighborhood');

-- companion publishes events; decide writes anomalies into the outbox.
grant insert (event, data, user_id, correlation_id, occurred_at)
    on assay.outbox to assay_decide;
call assay.grant_execute('assay_companion', 'publish_next');

-- operator manages webhooks and alert channels.  It cannot read the secrets
-- that sign deliveries, nor the URLs of channels.
grant select (id, url, events, active, last_status, failures, created_at),
    insert, update (active) on assay.webhook_endpoint to assay_operator;
grant select (id, type, url_hint, events, min_verdict, throttle_per_min,
    active, failures, created_at), insert, update (active)
    on assay.alert_channel to assay_operator;
grant select, insert, delete, update (attempts, last_error, dead_at, resent)
    on assay.delivery to assay_operator;
grant select, delete on assay.dead_letter to assay_operator;
call assay.grant_execute('assay_operator',
    'webhook_list webhook_create webhook_revoke channel_json channel_list
    channel_create channel_revoke channel_test delivery_json delivery_list
    delivery_drop subscriber_revoked delivery_requeue delivery_redrive
    delivery_redrive_one');

-- companion delivers through functions of the owner, which return only the
-- secrets of the deliveries that it sends now.
call assay.grant_execute('assay_companion',
    'delivery_claim delivery_settle delivery_release delivery_drop_revoked
    delivery_resend delivery_probe');

-- retain removes rows that are older than their window.  It reads only the
-- columns that it needs for that.
grant select (settings) on assay.epoch to assay_retain;
grant select (id, dead_at), delete on assay.dead_letter to assay_retain;
grant select (event_id, credited_outcome, labelled_at), delete on assay.label
    to assay_retain;
grant select, insert, update on assay.retention_watermark to assay_retain;
grant select, update on assay.retention_sweep to assay_retain;
call assay.grant_execute('assay_retain',
    'retention_cutoff retention_announce retention_month retention_begin
    retention_due retention_end retention_batches retention_vacuum
    partitions_ahead partitions_left retention_batch retention_raise_watermark
    retention_dead_letters retention_erasures retention_exceptions
    retention_redecisions retention_labels');

-- operator shows the analytics; companion may only count.
grant select on assay.analytics_count, assay.analytics_total to assay_operator;
call assay.grant_execute('assay_operator',
    'analytics_stretch analytics_counts analytics_outcome_totals
    analytics_sum_name analytics_handling analytics_summary');
call assay.grant_execute('assay_companion',
    'analytics_project analytics_rebuild_begin analytics_rebuild
    detail_summarize risk_slot_events risk_slot_labels risk_put risk_prune');

-- operator shows drift; companion counts labels, compares days and alerts.
grant select on assay.calibration to assay_operator;
call assay.grant_execute('assay_operator, assay_companion', 'drift_counts');
call assay.grant_execute('assay_operator', 'drift_calibration');
call assay.grant_execute('assay_companion', 'drift_step drift_record');

-- decide and operator read the active model; only companion loads one from a
-- source, and only the owner publishes one.
grant select on assay.model, assay.model_activation to assay_decide, assay_operator;
grant select on assay.model_source, assay.model_card to assay_operator;
call assay.grant_execute('assay_companion',
    'model_source_claim model_source_report model_source_release');

-- decide reads the shadows, operator manages and shows them, and companion
-- reports its SCORER_SHADOW and ends rollouts.
grant select on assay.shadow_candidate to assay_decide, assay_operator;
grant select on assay.shadow, assay.shadow_count, assay.shadow_tally,
    assay.shadow_example to assay_operator;
call assay.grant_execute('assay_operator',
    'shadow_lock shadow_ruleset shadow_model shadow_challenge shadow_rollout
    rollout_stop shadow_end shadow_amounts shadow_side rollout_arm rollout_arms shadow_verdicts shadow_tags shadow_labels
    shadow_agreed shadow_examples shadow_list');
call assay.grant_execute('assay_companion', 'shadow_scorer rollout_guard');

-- operator asks whether a standby shows all that the primary has.
call assay.grant_execute('assay_operator',
    'log_position database_number log_missing');

-- operator erases whole users, through functions that run as the owner.
call assay.grant_execute('assay_operator',
    'erase_begin erasure_name erase_stored erase_spools spool_report
    erase_identity erase_details');

-- operator shows how much is stored, and how much of it a sweep would remove.
call assay.grant_execute('assay_operator', 'storage_rows retention_preview');

-- companion adds to its counters.  operator shows them and the lengths of
-- queues, without reading the queues.
call assay.grant_execute('assay_companion, assay_retain', 'counter_add');
grant select on assay.counter to assay_operator;
call assay.grant_execute('assay_operator', 'gauges doctor_facts');
