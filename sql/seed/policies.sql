-- SPDX-License-Identifier: ISC
-- The first policy of each event type that has none.
with seed (event_type, on_error, bands) as (values
	('card.authorize', 'fail_open', '0-24 allow, 25-44 challenge, 45-69 review, 70-100 deny'),
	('payment.authorize', 'fail_open', '0-24 allow, 25-44 challenge, 45-69 review, 70-100 deny'),
	('wallet.withdraw', 'fail_closed', '0-24 allow, 25-44 challenge, 45-69 review, 70-100 deny'),
	('account.login', 'fail_open', '0-29 allow, 30-59 challenge, 60-100 deny'),
	('order.place', 'fail_open', '0-49 allow, 50-100 review'),
	('card.capture', 'fail_open', '0-39 allow, 40-100 review'),
	('card.refund', 'fail_open', '0-39 allow, 40-100 review')
), missing as (
	select * from seed
	where event_type not in (select event_type from assay.policy_active)
), made as (
	insert into assay.policy (event_type, version, id, on_error, bands)
	select event_type, 'v0.4.0', 'pol_' || replace(event_type, '.', '_'),
		on_error, (
		select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
			'verdict', m[3], 'min', m[1]::int, 'max', m[2]::int,
			'reviewQueue', case m[3] when 'review' then 'risk-ops' end))
			order by m[1]::int)
		from regexp_matches(bands, '(\d+)-(\d+) (\w+)', 'g') m)
	from missing
	returning event_type, version
), pointed as (
	insert into assay.policy_active select event_type, version from made
)
update assay.epoch set policies = policies + 1
where exists (select from made);
