-- SPDX-License-Identifier: ISC
-- Labels: which label counts, which tags get the credit, and when.
\pset tuples_only on
\pset format unaligned
create function decide(event text, reasons text, score int default 50,
    at timestamptz default clock_timestamp()) returns void language sql
begin atomic
	insert into assay.verdict_log (decided_at, id, event_id, event_type,
	    verdict, score, reasons, policy_id, policy_version, correlation_id)
	values (at, 'vd_' || event || at, event, 'order.place', 'review', score,
	    reasons, 'p', 'v', 'c');
end;
create view labels as select event_id, analyst, chargeback, outcome, tags,
	credited_outcome from assay.label order by event_id;
create view counts as select * from assay.tag_count order by tag;
create view told as select event, data, correlation_id from assay.outbox
	order by number;
insert into assay.webhook_endpoint (id, url, events, secret, created_by)
values ('whk_1', 'https://example.com', array['label.recorded.v1'], 's', 'me');

-- The newest scored decision of an event gives the tags.
select decide('e-1', '[{"tag":"old","points":9}]',
    at => now() - interval '1 minute');
select decide('e-1', '[{"tag":"ring","points":26},{"tag":"amount","points":14},
    {"tag":"list.watch","points":0}]');
select decide('e-1', '[{"tag":"engine.degraded","points":0}]', -1,
    now() + interval '1 minute');
select assay.label_put('e-1', 'analyst', 'legit', 'cor_1');
select * from labels;
select * from counts;

-- Repeating a label changes nothing and publishes nothing.
select assay.label_put('e-1', 'analyst', 'legit', 'cor_2');
select * from counts;
select * from told;

-- A chargeback takes precedence over the analyst, and the credit moves.  The
-- time of this change is stored.
select assay.chargeback_put('e-1', 'cor_3', 1000);
select outcome_at > labelled_at from assay.label where event_id = 'e-1';
select outcome_at as since from assay.label where event_id = 'e-1' \gset
select assay.chargeback_put('e-1', 'cor_4', 1000);
select * from labels;
select * from counts;

-- A later label of the analyst is stored and published but does not count.
select assay.label_put('e-1', 'analyst', 'fraud', 'cor_5');
select outcome_at = :'since' from assay.label where event_id = 'e-1';
select * from labels;
select * from counts;
select * from told;

-- A later decision on the event does not move the credit.
select decide('e-1', '[{"tag":"new","points":9}]');
select assay.labels_match(10);
select * from counts;

-- A label that comes before its event waits for a scored decision.
select assay.chargeback_put('e-2', 'cor_6', 1000);
select assay.chargeback_put('e-3', 'cor_6', 1000);
select assay.labels_match(10);
select decide('e-2', '[{"tag":"list.block","points":0}]', -1);
select decide('e-3', '[]');
update assay.label set match_after = now() where credited_outcome is null;
select assay.labels_match(10);
select * from labels;
select decide('e-2', '[{"tag":"ring","points":26}]');
update assay.label set match_after = now() where credited_outcome is null;
select assay.labels_match(10);
select * from labels;
select * from counts;

-- The next search is due after an eighth of the label's age, a second to an
-- hour, and a call searches only as many labels as it is given.
insert into assay.label (event_id, chargeback, labelled_at)
values ('w-0', 'fraud', now()),
    ('w-1', 'fraud', now() - interval '80 seconds'),
    ('w-2', 'fraud', now() - interval '3 days');
select assay.labels_match(2), assay.labels_match(2), assay.labels_match(2);
select event_id, round(extract(epoch from match_after - now()) / 10)
from assay.label where event_id like 'w-%' order by 1;

-- Only the companion reads the tags of a decision by a model, from its sample;
-- without the sample, or with that of a decision by rules, there are no tags.
select decide('m-0', '[]');
select decide('m-1', '[{"tag":"ml:graph.ringSize","points":40}]');
select decide('m-2', '[]');
select decide('m-3', '[{"tag":"ml:rules.score","points":70}]');
insert into assay.decision_detail (decided_at, verdict_id, event_id, event_type,
    user_id, sample)
select decided_at, id, event_id, event_type, 'u',
	case when event_id = 'm-0' then '{"values":[]}' else
	'{"tags":[{"tag":"modelled","points":9},{"tag":"list.watch","points":0}]}' end
from assay.verdict_log where event_id in ('m-0', 'm-1', 'm-2');
update assay.label set match_after = 'infinity';
select assay.chargeback_put('m-' || n, 'cor_8', 1000)
from generate_series(0, 3) n;
select count(*) from assay.label where event_id like 'm-%' and credited_outcome is null;
select assay.labels_match(10);
select event_id, tags, credited_outcome from assay.label where event_id like 'm-%'
order by 1;
select * from counts where tag = 'modelled';

-- The epoch of the counts changes when a count changes, and only then.
select number as epoch from assay.tag_epoch \gset
select assay.chargeback_put('m-1', 'cor_9', 1000);
select assay.chargeback_put('never', 'cor_9', 1000);
select number - :epoch from assay.tag_epoch;
select decide('m-4', '[{"tag":"t","points":9},{"tag":"s","points":9}]');
select assay.chargeback_put('m-4', 'cor_9', 1000);
select number - :epoch from assay.tag_epoch;

-- The counts are the sum of the labels.
select t.tag, count(*) filter (where credited_outcome = 'fraud'),
	count(*) filter (where credited_outcome = 'legit')
from assay.label, unnest(tags) as t(tag) group by 1 order by 1;

-- The tag weights: halves are rounded up; three labels make one trusted.
insert into assay.tag_count values ('a', 0, 1), ('b', 1, 1), ('c', 0, 3),
	('d', 3, 0), ('e', 1000000000000, 2000000000000), ('f', 0, 89);
select assay.tag_weights_json('weighted');

select assay.label_put('e-9', 'analyst', 'inconclusive', 'cor_7');
select assay.label_put('e-9', 'chargeback', 'legit', 'cor_7');
