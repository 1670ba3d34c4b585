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
revoke execute on all functions in schema assay from public;

-- No role creates anything here: functions that run as the owner would call
-- its code.
revoke create on schema assay from public, assay_decide, assay_operator,
    assay_companion, assay_retain;

-- Each session begins with its settings, and the question whether it may use this
-- database.
grant execute on function assay.session_settings(),
    assay.session_refusal(bigint), assay.schema_status(bigint[]),
    assay.server_timeline()
    to assay_decide, assay_operator, assay_companion, assay_retain;

-- decide reads the configuration, appends decisions and updates state.
grant select on assay.epoch, assay.ruleset, assay.ruleset_active,
    assay.policy, assay.policy_active, assay.migration, assay.list_entry,
    assay.list_subject
    to assay_decide, assay_operator;
grant select, insert on assay.verdict_log to assay_decide;
grant insert on assay.decision_detail to assay_decide;
grant select, insert on assay.idempotency to assay_decide;
grant select, insert, update on assay.user_state, assay.entity to assay_decide;
grant select on assay.entity_risk to assay_decide;
grant select, insert on assay.entity_link to assay_decide;
grant insert on assay.review_case, assay.case_trail to assay_decide;
grant select, insert, update, delete on assay.spool_file to assay_decide;
grant select (one, event) on assay.hash_key to assay_decide;
grant execute on function assay.async_add(text, text, text, text, bigint)
    to assay_decide;

-- decide logs degraded and spooled decisions without the details of users who
-- were erased since.  It may ask about one user and time, but cannot list
-- users.
grant execute on function assay.erasure_guard(),
    assay.is_erased(text, timestamptz) to assay_decide;

-- Only assay.async_add() fills the queue.
revoke insert on assay.async_queue from assay_decide;

-- companion decides queued events with the same statements.
grant assay_decide to assay_companion;
grant select, update (attempts, not_before), delete on assay.async_queue
    to assay_companion;
grant execute on function assay.async_take(bigint[]),
    assay.async_failed(bigint[]) to assay_companion;

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
grant execute on function assay.time_text(timestamptz),
    assay.operator_register(text, text),
    assay.login_delay(int),
    assay.login_guess_limit(),
    assay.login_address_seen(bytea),
    assay.login_wait(bytea, bytea),
    assay.login_count_failure(bytea),
    assay.login_prune(),
    assay.login_try(text, bytea, bytea),
    assay.login_clear(bytea, bytea),
    assay.login_undo(bytea, bytea),
    assay.operator_json(assay.operator),
    assay.operator_list(),
    assay.operator_create(text, text, text),
    assay.operator_update(text, text, boolean, text, boolean),
    assay.operator_logout(text, timestamptz),
    assay.operator_logout_all(text),
    assay.second_factor_enabled(text),
    assay.second_factor_status(text),
    assay.second_factor_find(text),
    assay.second_factor_offer(text, bytea),
    assay.second_factor_enable(text, bytea, bigint, bytea[]),
    assay.second_factor_accept(text, bigint),
    assay.second_factor_recover(text, bytea),
    assay.second_factor_reseal(text, bytea, bytea),
    assay.second_factor_remove(text),
    assay.service_key_json(assay.service_key),
    assay.service_key_list(),
    assay.service_key_create(text, bytea, text, text, bigint, bigint, text),
    assay.service_key_revoke(text) to assay_operator;

-- operator publishes rulesets and policies: it adds versions and moves
-- pointers.
grant insert on assay.ruleset, assay.ruleset_active, assay.policy
    to assay_operator;
grant update (version) on assay.ruleset_active, assay.policy_active
    to assay_operator;
grant select on assay.ruleset_version to assay_operator;
grant update (rules, policies) on assay.epoch to assay_operator;
grant execute on function assay.version_answer(boolean, text),
    assay.ruleset_activate(text, text),
    assay.ruleset_publish(text, text, text, bigint, text),
    assay.ruleset_versions(text),
    assay.policy_type(text),
    assay.policy_activate(text, text),
    assay.policy_publish(text, text, text, jsonb, text),
    assay.policy_version_json(assay.policy),
    assay.policy_versions(text),
    assay.policy_version(text, text),
    assay.policy_histogram(text, bigint),
    assay.attributes_seen(text),
    assay.policy_rollback(text, text),
    assay.policy_history(text),
    assay.policy_list() to assay_operator;

-- operator keeps the results of backtests.
grant select, insert, delete on assay.backtest_result to assay_operator;
grant execute on function assay.sample_start(text, bigint, bigint),
    assay.backtest_keep(text, text, text, text),
    assay.backtest_kept() to assay_operator;

-- operator manages the lists.
grant insert, update (reason, expires_at), delete on assay.list_entry
    to assay_operator;
grant update (lists) on assay.epoch to assay_operator;
grant update (changed) on assay.list_subject to assay_operator;
grant execute on function assay.list_json(assay.list_entry),
    assay.list_bump_epoch(text[]),
    assay.list_put(text[], text[], text[], text[], text[], timestamptz[], text),
    assay.list_save(text, text, text, text, text, timestamptz, text),
    assay.list_page(text, text, bigint, bigint, text, timestamptz),
    assay.list_summary(),
    assay.list_put_check(text[], text[], text[], text[], timestamptz[]),
    assay.list_search(text, text, text),
    assay.list_remove(text) to assay_operator;

-- decide scores with tag weights, operator also in backtests.
grant select on assay.tag_epoch, assay.tag_count
    to assay_decide, assay_operator;

-- decide records chargebacks and may do nothing else with labels.  operator
-- acts on cases through functions that leave a trail, and reads cases, labels
-- and logs.
grant execute on function assay.chargeback_put(text, text, bigint),
    assay.chargeback_withdraw(text, text, text, text)
    to assay_decide;
grant execute on function assay.case_resolution(assay.review_case),
    assay.case_due(assay.review_case),
    assay.case_note_json(assay.case_note),
    assay.case_json(assay.review_case),
    assay.case_queues(),
    assay.case_decisions(text, text),
    assay.case_fits(assay.case_filter, assay.review_case),
    assay.case_scan(assay.case_filter, text, assay.review_case, text[], text[],
	bigint),
    assay.case_page(assay.case_filter, bigint, bigint, text, text),
    assay.case_get(text),
    assay.case_assign(text, text, bigint),
    assay.case_hand_over(text, text, text, bigint),
    assay.case_release(text, text, boolean),
    assay.case_snooze(text, text, boolean, timestamptz),
    assay.case_note_add(text, text, text, text),
    assay.case_resolve(text, text, text, text, text),
    assay.cases_resolve(text[], text, text, text, text),
    assay.case_reopen(text, text, text[], text),
    assay.queue_list(text),
    assay.queue_put(text, bigint),
    assay.case_next(text, boolean, text, bigint),
    assay.view_json(assay.saved_view, text),
    assay.view_list(text),
    assay.view_create(text, text, text, text, text, boolean),
    assay.view_delete(text, text, boolean),
    assay.tag_weights_json(text) to assay_operator;
grant execute on function assay.labels_match(bigint) to assay_companion;
grant select on assay.review_case, assay.case_trail, assay.case_note,
    assay.case_queue, assay.saved_view, assay.label,
    assay.verdict_log, assay.decision_detail, assay.retention_watermark to assay_operator;
grant execute on function
    assay.log_retained_since(regclass),
    assay.log_count(regclass, timestamptz, timestamptz, bigint),
    assay.log_newest(regclass),
    assay.log_start_of(regclass, bigint, timestamptz),
    assay.log_fits(assay.log_filter, assay.decision_detail, assay.verdict_log),
    assay.log_item(assay.log_filter, assay.decision_detail, assay.verdict_log),
    assay.log_verdicts(assay.log_filter, timestamptz, timestamptz, bigint),
    assay.log_details(assay.log_filter, timestamptz, timestamptz, bigint),
    assay.log_details_of_user(assay.log_filter, timestamptz, timestamptz,
	bigint),
    assay.log_user_is_quiet(text),
    assay.log_page(assay.log_filter, bigint, timestamptz, timestamptz)
    to assay_operator;

-- All roles read the settings, operator changes them.
grant select on assay.setting to assay_decide, assay_operator,
    assay_companion, assay_retain;
grant insert, update (value, changed_at), delete on assay.setting
    to assay_operator;
grant update (settings) on assay.epoch to assay_operator;
grant execute on function assay.setting_put(text[], text[]) to assay_operator;

-- operator makes, decides and shows proposals through functions of the owner.
grant select on assay.proposal to assay_operator;
grant execute on function assay.proposal_policy(assay.policy),
    assay.proposal_entry(text),
    assay.proposal_state(text, text),
    assay.proposal_status(assay.proposal),
    assay.proposal_json(assay.proposal),
    assay.proposal_sees_all(text),
    assay.proposal_page(text, bigint, text, text),
    assay.proposal_get(text, text),
    assay.proposal_create(text, text, text, text, text, text, text, text, text,
	text),
    assay.proposal_begin(text, text, text),
    assay.proposal_end(text, text),
    assay.proposal_close(text, text, text, text) to assay_operator;

-- operator reads the configuration, and changes it by the functions of its parts.
grant execute on function assay.config_content(),
    assay.config_digest(json),
    assay.config_etag(),
    assay.config_get(),
    assay.config_text(),
    assay.config_begin(text) to assay_operator;

-- operator adds entries to the audit trail through functions of the owner, and
-- companion seals them.  operator publishes events.
revoke insert on assay.audit from assay_operator;
grant select on assay.audit, assay.audit_seal to assay_operator;
grant execute on function assay.audit_add(text, text, bigint, text),
    assay.audit_login_failed(text, text) to assay_operator;
grant execute on function assay.audit_seal_next(bigint, bigint),
    assay.audit_mark_logged() to assay_companion;
grant select on assay.subscriber to assay_operator;
grant insert on assay.outbox to assay_operator;
grant execute on function assay.audit_page(bigint, bigint, text, text,
	text, timestamptz, timestamptz, text),
    assay.publish(text, json, text, text) to assay_operator;

-- operator reads the graph.
grant select on assay.entity, assay.entity_link, assay.entity_risk
    to assay_operator;
grant execute on function assay.graph_neighbors(bigint, bigint),
    assay.graph_of_kind(bigint[], bigint),
    assay.graph_names(bigint[]),
    assay.graph_related(bigint, bigint[]),
    assay.graph_user_labels(text),
    assay.graph_facts(bigint[]),
    assay.graph_edges(bigint[]),
    assay.graph_root(bigint),
    assay.graph_neighborhood(text, bigint, text) to assay_operator;

-- companion publishes events; decide writes anomalies into the outbox.
grant insert (event, data, user_id, correlation_id, occurred_at)
    on assay.outbox to assay_decide;
grant execute on function assay.publish_next(bigint, bigint, bigint)
    to assay_companion;

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
grant execute on function assay.webhook_list(text[]),
    assay.webhook_create(text, text, text[], text, text),
    assay.webhook_revoke(text),
    assay.channel_json(text, bigint),
    assay.channel_list(text[], bigint),
    assay.channel_create(text, text, text, text, text, text[], text, bigint,
	text, bigint),
    assay.channel_revoke(text),
    assay.channel_test(text, text, text),
    assay.delivery_json(text, text, text, int, timestamptz, text, timestamptz,
	timestamptz),
    assay.delivery_list(text, bigint),
    assay.delivery_drop(text),
    assay.subscriber_revoked(boolean, text),
    assay.delivery_requeue(text[], boolean),
    assay.delivery_redrive(text, timestamptz, bigint),
    assay.delivery_redrive_one(text, text) to assay_operator;

-- companion delivers through functions of the owner, which return only the
-- secrets of the deliveries that it sends now.
grant execute on function
    assay.delivery_claim(bigint, bigint, bigint, bigint, text),
    assay.delivery_settle(text[], timestamptz[], text[], bigint[]),
    assay.delivery_release(text[], timestamptz[]),
    assay.delivery_drop_revoked(bigint),
    assay.delivery_resend(),
    assay.delivery_probe() to assay_companion;

-- retain removes rows that are older than their window.  It reads only the
-- columns that it needs for that.
grant select (settings) on assay.epoch to assay_retain;
grant select (id, dead_at), delete on assay.dead_letter to assay_retain;
grant select (event_id, credited_outcome, labelled_at), delete on assay.label
    to assay_retain;
grant select, insert, update on assay.retention_watermark to assay_retain;
grant select, update on assay.retention_sweep to assay_retain;
grant execute on function assay.retention_cutoff(bigint),
    assay.retention_announce(timestamptz),
    assay.retention_month(timestamptz, timestamptz, timestamptz),
    assay.retention_begin(bigint, timestamptz),
    assay.retention_due(bigint),
    assay.retention_end(),
    assay.retention_batches(text, timestamptz, bigint, bigint),
    assay.retention_vacuum(),
    assay.partitions_ahead(int),
    assay.partitions_left(),
    assay.retention_batch(text, bigint, bigint, timestamptz, timestamptz),
    assay.retention_raise_watermark(text, timestamptz),
    assay.retention_dead_letters(timestamptz, bigint),
    assay.retention_erasures(timestamptz, bigint),
    assay.retention_labels(timestamptz, bigint) to assay_retain;

-- operator shows the analytics; companion may only count.
grant select on assay.analytics_count, assay.analytics_total to assay_operator;
grant execute on function assay.analytics_stretch(date, date, text),
    assay.analytics_counts(date, date, text),
    assay.analytics_outcome_totals(), assay.analytics_sum_name(text, text),
    assay.analytics_handling(date, date, text, text),
    assay.analytics_summary() to assay_operator;
grant execute on function assay.analytics_project(bigint),
    assay.analytics_rebuild_begin(),
    assay.analytics_rebuild(bigint),
    assay.detail_summarize(),
    assay.risk_events(bigint, text, bigint, text),
    assay.risk_labels(bigint),
    assay.risk_put(bigint[], bigint[], bytea[]),
    assay.risk_prune(bigint) to assay_companion;

-- operator shows drift; companion counts labels, compares days and alerts.
grant select on assay.calibration to assay_operator;
grant execute on function assay.drift_counts(text, date, bigint, bigint)
    to assay_operator, assay_companion;
grant execute on function assay.drift_calibration(date, bigint, bigint)
    to assay_operator;
grant execute on function assay.drift_step(bigint),
    assay.drift_record(date, text[], text[], text[], text) to assay_companion;

-- decide and operator read the active model; only companion loads one from a
-- source, and only the owner publishes one.
grant select on assay.model, assay.model_activation to assay_decide, assay_operator;
grant select on assay.model_source to assay_operator;
grant execute on function assay.model_source_claim(text, text, text, bigint, bigint, bigint),
    assay.model_source_report(text, timestamptz, text, text, text, text),
    assay.model_source_release(text) to assay_companion;

-- decide reads the shadows, operator manages and shows them, and companion
-- reports its SCORER_SHADOW.
grant select on assay.shadow_candidate to assay_decide, assay_operator;
grant select on assay.shadow, assay.shadow_count, assay.shadow_example
    to assay_operator;
grant execute on function assay.shadow_lock(),
    assay.shadow_ruleset(text, text, text, bigint, text, text),
    assay.shadow_model(text, text, text),
    assay.shadow_end(text, text, text),
    assay.shadow_side(bigint, text, text),
    assay.shadow_verdicts(bigint, text),
    assay.shadow_tags(bigint, text), assay.shadow_labels(bigint, text),
    assay.shadow_examples(bigint, text),
    assay.shadow_list(text) to assay_operator;
grant execute on function assay.shadow_scorer(text) to assay_companion;

-- operator asks whether a standby shows all that the primary has.
grant execute on function assay.log_position(),
    assay.database_number(), assay.log_missing(bigint, bigint, bigint)
    to assay_operator;

-- operator erases whole users, through functions that run as the owner.
grant execute on function assay.erase_begin(text),
    assay.erasure_name(text),
    assay.erase_stored(text),
    assay.erase_spools(timestamptz),
    assay.spool_report(text, bigint, bigint),
    assay.erase_identity(bigint, text, bigint),
    assay.erase_details(text, timestamptz, bigint) to assay_operator;

-- operator shows how much is stored, and how much of it a sweep would remove.
grant execute on function assay.storage_rows(),
    assay.retention_preview(text, bigint) to assay_operator;

-- companion adds to its counters.  operator shows them and the lengths of
-- queues, without reading the queues.
grant execute on function
    assay.counter_add(text[], bigint[], bigint[], bigint[])
    to assay_companion, assay_retain;
grant select on assay.counter to assay_operator;
grant execute on function assay.gauges(bigint), assay.doctor_facts()
    to assay_operator;
