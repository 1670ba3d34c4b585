-- SPDX-License-Identifier: ISC
-- Operators and service keys.
\pset tuples_only on
\pset format unaligned

-- The first operator is an admin, the second finds registration closed.
select * from assay.operator_register('one@example.com', 'hash');
select * from assay.operator_register('two@example.com', 'hash');
select email, role, session_number from assay.operator;

-- Each further operator has a role and an email that is not taken.
select refusal, body::jsonb - 'createdAt'
from assay.operator_create('b@example.com', 'analyst', 'hash');
select refusal, body from assay.operator_create('b@example.com', 'admin', 'h');
select refusal from assay.operator_create('c@example.com', 'owner', 'hash');
select body::jsonb ->> 'role' as role
from assay.operator_create('c@example.com', 'author', 'hash');
delete from assay.operator where email = 'c@example.com';
select e ->> 'email', e ->> 'role'
from jsonb_array_elements(assay.operator_list()::jsonb) e;

-- A session is ended twice, and all sessions.
select * from assay.operator_logout('tok_1', now() + interval '12 h');
select * from assay.operator_logout('tok_1', now() + interval '12 h');
select jti from assay.revoked_token;
select * from assay.operator_logout_all('b@example.com');
select email, session_number from assay.operator order by 1;

-- An operator changes: role, account, sessions, a temporary password.
select refusal, body::jsonb - 'createdAt'
from assay.operator_update('b@example.com', 'admin', null, null, null);
select refusal, body::jsonb - 'createdAt'
from assay.operator_update('b@example.com', null, true, null, false);
select refusal, body::jsonb - 'createdAt'
from assay.operator_update('b@example.com', null, null, 'other', true);
select email, role, session_number, password, disabled_at is not null,
	password_temporary
from assay.operator order by 1;
-- A disabled admin does not count as the last one; a change may change nothing.
select * from assay.operator_update('one@example.com', null, true, null, null);
select * from assay.operator_update('one@example.com', 'analyst', null, null,
	null);
select refusal from assay.operator_update('one@example.com', 'admin', false,
	null, null);
select refusal from assay.operator_update('b@example.com', null, false, null,
	null);
select refusal from assay.operator_update('one@example.com', 'analyst', null,
	null, null);
select * from assay.operator_update('b@example.com', 'analyst', null, null,
	null);
select * from assay.operator_update('x@example.com', 'admin', null, null, null);

-- A key shows no hash and whether it has expired; it may be revoked twice.
select assay.service_key_create('key_1', sha256('one'), 'shop', 'ak_live_00000000',
	3, null, 'one@example.com')::jsonb - 'createdAt';
select assay.service_key_create('key_2', sha256('two'), 'batch', 'ak_live_00000001',
	1, 30, 'one@example.com')::jsonb ->> 'scopes';
update assay.service_key set expires_at = now() - interval '1 s'
where id = 'key_2';
select e ->> 'id', e ->> 'expired', e ->> 'revoked'
from jsonb_array_elements(assay.service_key_list()::jsonb) e
order by 1;
select assay.service_key_revoke('key_1');
select assay.service_key_revoke('key_1');
select assay.service_key_revoke('key_3');
select count(*) from assay.service_key where revoked_at is not null;

-- Two keys cannot have the same hash.
select assay.service_key_create('key_4', sha256('one'), 'twin', 'ak_live_00000000',
	3, null, 'one@example.com');
