-- SPDX-License-Identifier: ISC
-- Second factors: an offer is enabled once, a step and a recovery code are
-- accepted once, and keys change only through functions.
\pset tuples_only on
\pset format unaligned

insert into assay.operator (email, role, password)
values ('a@b.c', 'admin', 'x'), ('b@b.c', 'analyst', 'x');

-- An offer replaces an earlier one, and ends after 10 minutes.
select assay.second_factor_status('a@b.c');
select count(*) from assay.second_factor_find('a@b.c');
select assay.second_factor_offer('a@b.c', decode(repeat('01', 48), 'hex'));
select assay.second_factor_offer('a@b.c', decode(repeat('02', 48), 'hex'));
select left(sealed_key::text, 4), enabled
from assay.second_factor_find('a@b.c');
select assay.second_factor_accept('a@b.c', 7);
update assay.second_factor set offered_at = now() - interval '10 min';
select count(*) from assay.second_factor_find('a@b.c');
select assay.second_factor_offer('a@b.c', decode(repeat('03', 48), 'hex'));
select count(*) from assay.second_factor_find('a@b.c');
select assay.second_factor_offer('a@b.c', decode('04', 'hex'));
select refusal from assay.second_factor_remove('a@b.c');

-- It is enabled once, with the key whose code was checked.
select assay.second_factor_enable('a@b.c', decode(repeat('02', 48), 'hex'), 7,
	array[sha256('one'), sha256('two')]);
select count(*) from assay.recovery_code;
select assay.second_factor_enable('a@b.c', decode(repeat('03', 48), 'hex'), 7,
	array[sha256('one'), sha256('two')]);
select assay.second_factor_enable('a@b.c', decode(repeat('03', 48), 'hex'), 8,
	array[sha256('three')]);
select assay.second_factor_offer('a@b.c', decode(repeat('05', 48), 'hex'));
select assay.second_factor_status('a@b.c')::jsonb - 'enrolledAt';
update assay.second_factor set offered_at = now() - interval '1 day';
select enabled from assay.second_factor_find('a@b.c');

-- A step is accepted once, and no step before it; a recovery code once, of its
-- operator.
select assay.second_factor_accept('a@b.c', s) from unnest(array[7, 8, 8, 10, 9]) s;
select assay.second_factor_accept('b@b.c', 11);
select assay.second_factor_recover('b@b.c', sha256('one'));
select assay.second_factor_recover('a@b.c', sha256('none'));
select assay.second_factor_recover('a@b.c', sha256('one'));
select assay.second_factor_recover('a@b.c', sha256('one'));
select assay.second_factor_status('a@b.c')::jsonb -> 'recoveryCodesLeft';

-- Encrypting again needs the key that was read.
select assay.second_factor_reseal('a@b.c', decode(repeat('02', 48), 'hex'),
	decode(repeat('06', 48), 'hex'));
select assay.second_factor_reseal('a@b.c', decode(repeat('03', 48), 'hex'),
	decode(repeat('07', 48), 'hex'));
select left(sealed_key::text, 4), last_step from assay.second_factor;

-- Removing it removes the recovery codes.
select * from assay.second_factor_remove('a@b.c');
select * from assay.second_factor_remove('a@b.c');
select count(*) from assay.recovery_code;

-- The operators' role has only the functions.
\connect - assay_operator
select sealed_key from assay.second_factor;
update assay.second_factor set last_step = 0;
delete from assay.second_factor;
select count(*) from assay.recovery_code;
insert into assay.recovery_code values ('a@b.c', sha256('mine'));
select enabled_at from assay.second_factor;
\connect - assay_decide
select assay.second_factor_find('a@b.c');
\connect - assay_companion
select assay.second_factor_accept('a@b.c', 1);
