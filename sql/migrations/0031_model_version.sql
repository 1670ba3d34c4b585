-- SPDX-License-Identifier: ISC
-- A model's numbers are doubles, which may be written as no numeric can be,
-- 1e-20000 for 0: jsonb makes numerics of them all, json leaves them alone.
alter table assay.model drop column features_version;
alter table assay.model add features_version int not null generated always as
    ((body::json ->> 'featuresVersion')::float8::int) stored;
