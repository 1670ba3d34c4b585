-- SPDX-License-Identifier: ISC
-- Each role may do its work and is refused everything else.
\pset tuples_only on
\pset format unaligned

\connect - assay_decide
select count(*) from assay.policy_active;
select count(*) from assay.verdict_log;
update assay.verdict_log set score = 0;
delete from assay.verdict_log;
truncate assay.verdict_log;
select count(*) from assay.detail;
delete from assay.detail;
delete from assay.idempotency;
delete from assay.user_state;
delete from assay.entity;
delete from assay.link;
insert into assay.spool_file (name) values ('f');
update assay.spool_file set done = 1 where name = 'f';
delete from assay.spool_file;
select count(*) from assay.review_case;
update assay.review_case set status = 'resolved';
delete from assay.case_trail;
select assay.label_chargeback('e', 'c');
select assay.label_put('e', 'analyst', 'legit', 'c');
select count(*) from assay.label;
update assay.label set analyst = 'legit';
delete from assay.label;
select count(*) from assay.tag_count;
select count(*) from assay.entity_risk;
update assay.entity_risk set days = '';
select assay.risk_put('{}', '{}', '{}');
select labels from assay.risk_labels(1);
update assay.tag_count set legit = 9;
select assay.labels_match(1);
select * from assay.case_resolve('c', 'a@b.c', 'legit', null, 'c');
insert into assay.ruleset values ('card.authorize', 'mine', '');
update assay.policy_active set version = 'mine';
update assay.epoch set rules = 0;
select count(*) from assay.setting;
insert into assay.setting values ('decisionsPerMin', 1);
select assay.setting_put(array['decisionsPerMin'], array['1']);
update assay.epoch set settings = 0;
select count(*) from assay.login_failure;
select count(*) from assay.audit;
select count(*) from assay.list_entry;
select count(*) from assay.list_subject;
insert into assay.list_entry (id) values ('lst_mine');
update assay.list_entry set kind = 'allow';
delete from assay.list_entry;
update assay.list_subject set changed = 0;
select assay.list_remove('lst_mine');
select password from assay.operator;
insert into assay.service_key (id) values ('key_mine');
select assay.operator_register('a@b.c', 'x');
select assay.service_key_list();
select assay.partitions_ahead(1);
select assay.erase_identity(1, 'u-1', 1000);
select assay.analytics_project(1);
select assay.analytics_summary();
create table assay.mine (n int);
set role assay_operator;
set role assay_retain;

select count(*) from assay.subscriber;
insert into assay.delivery (id) values ('whd_mine');
select assay.async_add('e', 'u', '{}', 'c');
select count(*) from assay.async_queue;
delete from assay.async_queue;
select assay.async_take('{1}');
select assay.async_failed('{1}');
select assay.webhook_list('{}');

\connect - assay_operator
select count(*) from assay.operator;
select assay.service_key_list();
select count(*) from assay.verdict_log;
update assay.verdict_log set score = 0;
delete from assay.verdict_log;
select count(*) from assay.detail;
update assay.detail set request = null;
select count(*) from assay.review_case;
update assay.review_case set status = 'open';
insert into assay.case_trail values ('c', now(), 'resolved', 'a@b.c');
update assay.case_trail set actor = 'a@b.c';
delete from assay.case_trail;
select * from assay.case_assign('c', 'a@b.c');
select * from assay.case_resolve('c', 'a@b.c', 'legit', null, 'c');
select count(*) from assay.label;
insert into assay.label (event_id, chargeback) values ('e-2', 'fraud');
update assay.label set analyst = 'legit';
delete from assay.label;
select count(*) from assay.tag_count;
update assay.tag_count set legit = 9;
select assay.label_put('e', 'analyst', 'legit', 'c');
select assay.label_chargeback('e', 'c');
select assay.labels_match(1);
insert into assay.idempotency values ('k', 'v', 'e', now());
select count(*) from assay.user_state;
select count(*) from assay.spool_file;
select assay.graph_around('user', 1, 'u-1');
update assay.entity set key = 'mine';
delete from assay.link;
update assay.analytics_count set n = 0;
update assay.analytics_cursor set next = 0;
delete from assay.analytics_change;
select * from assay.analytics_project(1);
select * from assay.analytics_rebuild_begin();
delete from assay.detail;
delete from assay.idempotency;
delete from assay.user_state;
select assay.erase_entity(1, 1000);
select days from assay.entity_risk;
select assay.risk_put('{}', '{}', '{}');
select labels from assay.risk_labels(1);
select more, graph, baseline from assay.erase_identity(1, 'u-1', 1000);
select * from assay.erase_details('u-1', now(), 1000);
delete from assay.operator;
select * from assay.operator_logout('tok_1', now());
update assay.revoked_token set expires_at = now();
update assay.operator set role = 'admin';
update assay.service_key set hash = '\x00';
delete from assay.service_key;
select made from assay.list_put(array['lst_1'], array['block'], array['user'],
    array['u-1'], array[null], array[timestamptz 'epoch'], 'a@b.c');
update assay.list_entry set value = 'u-2';
select refusal from assay.ruleset_publish('card.refund', 'mine', '');
select refusal from assay.policy_publish('pol_card_refund', 'mine',
    'fail_open', '[]');
update assay.ruleset set text = '';
delete from assay.ruleset;
update assay.policy set bands = '[]';
delete from assay.policy;
delete from assay.policy_active;
update assay.ruleset_active set event_type = 'mine';
update assay.epoch set one = false;
select assay.list_page(null, null, 1, 1), assay.list_search(null, 'ip', 'x');
select assay.list_remove('lst_1');
select assay.partitions_ahead(1);
create table assay.mine (n int);
select count(*) from assay.audit;
update assay.audit set status = 200;
delete from assay.audit;
select count(*) from assay.outbox;
select assay.webhook_create('whk_1', 'https://a.example/', '{}', 'whsec_x',
    'a@b.c');
select secret from assay.webhook_endpoint;
update assay.webhook_endpoint set url = 'https://b.example/';
delete from assay.webhook_endpoint;
select assay.channel_create('ntf_1', 'slack', 'https://a.example/x', '"a"', null,
    '{}', null, null, 'a@b.c', 60);
select url from assay.alert_channel;
update assay.alert_channel set url = 'https://b.example/';
delete from assay.alert_channel;
select assay.channel_test('ntf_1', 'ntd_1', 'c');
update assay.delivery set data = '{}';
insert into assay.dead_letter (id) values ('ntd_2');
select assay.delivery_list('ntd_', 0);
select assay.channel_revoke('ntf_1');
select assay.delivery_redrive('ntd_', now(), 10);
select count(*) from assay.delivery_claim(1, 1, 1, 1, '');
select assay.delivery_settle('{}', '{}', '{}', '{}');
select assay.retention_dead(now(), 10);
update assay.retention_mark set until = now();
select count(*) from assay.gauges(1);
select assay.counter_add('{m}', '{0}', '{0}', '{1}');
insert into assay.counter values ('m', 0, 0, 1);
select assay.retention_begin(0);
update assay.retention_sweep set began_at = now();
select assay.partitions_left() >= 24;

\connect - assay_companion
select assay.counter_add('{m}', '{0}', '{0}', '{1}');
select n from assay.counter;
select count(*) from assay.gauges(1);
select counted, more, rebuilding, busy, restored
    from assay.analytics_project(1);
select * from assay.risk_events(1, '', 1, '');
select labels from assay.risk_labels(1);
select assay.risk_put('{}', '{}', '{}');
select assay.risk_forget(1);
select count(*) from assay.entity_risk;
update assay.entity_risk set days = '';
select risk from assay.label;
select device from assay.detail;
select last >= first from assay.analytics_rebuild_begin();
select counted from assay.analytics_rebuild(1);
update assay.analytics_count set n = 0;
update assay.analytics_rebuild set last = day;
select assay.analytics_outcomes();
select assay.retention_begun(now());
select count(*) from assay.operator;
select count(*) from assay.service_key;
select count(*) from assay.list_entry;
delete from assay.verdict_log;
select assay.labels_match(1) >= 0;
select assay.label_chargeback('e', 'c');
select count(*) from assay.async_queue;
update assay.async_queue set event = '{}';
select assay.async_failed('{1}');
select assay.async_take(array(select number from assay.async_queue));
select more from assay.publish_next(1, 1, 0);
select count(*) from assay.fan_out(null, 1);
select count(*) from assay.outbox;
update assay.publish_cursor set next = 0;
insert into assay.alert_minute values ('ntf_1', 1, 0);
select count(*) from assay.delivery_claim(1, 1, 1, 1, '');
select count(*) from assay.delivery_settle('{}', '{}', '{}', '{}');
select assay.delivery_release('{}', '{}');
select assay.delivery_forget(1);
select secret from assay.webhook_endpoint;
select url from assay.alert_channel;
select count(*) from assay.delivery;
select assay.webhook_list('{}');

\connect - assay_retain
select count(*) from assay.operator;
select count(*) from assay.service_key;
select count(*) from assay.user_state;
select assay.partitions_ahead(1);
select count(*) from assay.webhook_endpoint;
select data from assay.dead_letter;
select chargeback from assay.label;
select user_id from assay.async_queue;
update assay.setting set value = 1;
select * from assay.retention_month('epoch', 'epoch', 'epoch');
select count(*) from assay.retention_batches('idempotency', now(), 1, 60);
select assay.retention_begin(0);
select assay.retention_end();
select assay.partitions_left() >= 24;
vacuum assay.idempotency;
vacuum assay.label;
select assay.retention_dead('epoch', 1), assay.retention_labels('epoch', 1);
select assay.counter_add('{m,m}', '{1,0}', '{0,0}', '{1,2}');
select n from assay.counter;

-- Who may make partitions may make functions, too: none is taken for one of
-- ours by who may do more.
create function assay.publish(text, json, text) returns void
language plpgsql as $$ begin raise 'run as %', current_user; end $$;

\connect - assay_decide
select assay.label_chargeback('e2', 'c');
select more from assay.publish_next(1, 1, 0);
