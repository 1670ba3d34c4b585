-- SPDX-License-Identifier: ISC
-- Lists: which entries are created and changed, and which epochs they bump.
\pset tuples_only on
\pset format unaligned

-- Of two entries for the same value in one call the later one counts.
select * from assay.list_put(array['lst_1', 'lst_2', 'lst_3'],
    array['block', 'block', 'block'], array['user', 'ip', 'user'],
    array['u-1', '1.1.1.1', 'u-1'], array['first', null, 'third'],
    array['epoch', '2050-01-02T03:04:05.678Z', 'epoch']::timestamptz[], 'me')
order by id;
select assay.list_json(l)::jsonb - 'createdAt' from assay.list_entry l order by id;
select lists from assay.epoch;
select subject, changed from assay.list_subject where changed > 1 order by 1;

-- Repeating an entry changes nothing and bumps no epoch.
select * from assay.list_put(array['lst_4'], array['block'], array['user'],
    array['u-1'], array['third'], array['epoch']::timestamptz[], 'me');
select lists from assay.epoch;

-- Another reason or end changes the entry, which keeps its id.
select * from assay.list_put(array['lst_5'], array['block'], array['user'],
    array['u-1'], array['third'], array['2050-01-01']::timestamptz[], 'me');
select * from assay.list_put(array['lst_6'], array['block'], array['user'],
    array['u-1'], array[null], array['epoch']::timestamptz[], 'me');
select assay.list_json(l)::jsonb - 'createdAt' from assay.list_entry l order by id;

-- Another kind is another entry.
select * from assay.list_put(array['lst_7'], array['allow'], array['user'],
    array['u-1'], array[null], array['epoch']::timestamptz[], 'me');
select lists from assay.epoch;

select assay.list_remove('lst_7');
select assay.list_remove('lst_7');
select lists from assay.epoch;
select subject, changed from assay.list_subject where changed > 1 order by 1;

-- An unknown kind and an unknown subject are refused.
select * from assay.list_put(array['lst_8'], array['deny'], array['user'],
    array['u-1'], array[null], array['epoch']::timestamptz[], 'me');
select * from assay.list_put(array['lst_8'], array['block'], array['email'],
    array['u-1'], array[null], array['epoch']::timestamptz[], 'me');

-- Entries are saved one by one and found by kind, subject, value and page.
select made, body::jsonb - 'createdAt' from assay.list_save('lst_91', 'block',
    'ip', '2.2.2.2', 'why', 'epoch', 'me');
select made, body::jsonb - 'createdAt' from assay.list_save('lst_92', 'block',
    'ip', '2.2.2.2', 'why', 'epoch', 'you');
select made from assay.list_save('lst_93', 'watch', 'ip', '2.2.2.2', null,
    '2050-01-01', 'you');
select lists from assay.epoch;
create function pg_temp.ids(list text) returns text language sql
return (select string_agg(e ->> 'id', ' ') from json_array_elements(list::json) e);
select pg_temp.ids(assay.list_page(null, null, 9, 0)),
    pg_temp.ids(assay.list_page('block', null, 9, 0)),
    pg_temp.ids(assay.list_page(null, 'ip', 9, 0)),
    pg_temp.ids(assay.list_page('watch', 'ip', 9, 0)),
    pg_temp.ids(assay.list_page(null, null, 2, 1));
select assay.list_page('watch', 'user', 9, 0), assay.list_page(null, null, 9, 9);
select pg_temp.ids(assay.list_search(null, 'ip', '2.2.2.2')),
    pg_temp.ids(assay.list_search('block', 'ip', '2.2.2.2')),
    assay.list_search(null, 'user', '2.2.2.2');

-- A page of a rare kind, of a creator with few entries, or of entries that end,
-- among many entries reads few rows.
insert into assay.list_entry (id, kind, subject, value, created_by)
select 'lst_' || n, 'block', 'user', 'v' || n, 'me'
from generate_series(1000, 20000) n;
analyze assay.list_entry;
create function pg_temp.rows_read() returns numeric language sql
return (select pg_stat_get_xact_tuples_returned('assay.list_entry'::regclass) +
	sum(pg_stat_get_xact_tuples_returned(indexrelid))
    from pg_index where indrelid = 'assay.list_entry'::regclass);
begin;
select pg_temp.rows_read() as before \gset
select pg_temp.ids(assay.list_page('watch', null, 100, 0));
select pg_temp.ids(assay.list_page(null, null, 100, 0, 'you')),
    pg_temp.ids(assay.list_page(null, null, 100, 0, null, '2051-01-01'));
select pg_temp.rows_read() - :before < 100;
commit;
