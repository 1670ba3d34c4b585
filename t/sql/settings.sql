-- SPDX-License-Identifier: ISC
-- Settings that admins change.
\pset tuples_only on
\pset format unaligned

select settings from assay.epoch;
select assay.setting_put(array['decisionsPerMin', 'anomalyZScore'],
    array['600', '2.5']);
select name, value from assay.setting order by 1;
select assay.setting_put(array['decisionsPerMin', 'anomalyZScore',
    'retention.replay'], array[null, '1e0', '36500']);
select name, value from assay.setting order by 1;
select assay.setting_put(array['retention.verdicts'], array[null]);
select assay.setting_put(array['retention.replay'], array['many']);
select name, value from assay.setting order by 1;
select settings from assay.epoch;
