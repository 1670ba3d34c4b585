-- SPDX-License-Identifier: ISC
-- Lists: what is made and what is changed, and who is told of it.
\pset tuples_only on
\pset format unaligned

-- Of two alike in one call the later one counts.
select * from assay.list_put(array['lst_1', 'lst_2', 'lst_3'],
    array['block', 'block', 'block'], array['user', 'ip', 'user'],
    array['u-1', '1.1.1.1', 'u-1'], array['first', null, 'third'],
    array['epoch', '2050-01-02T03:04:05.678Z', 'epoch']::timestamptz[], 'me')
order by id;
select assay.list_json(l) from assay.list_entry l order by id;
select lists from assay.epoch;
select subject, changed from assay.list_subject where changed > 1 order by 1;

-- The same again changes nothing and tells nobody.
select * from assay.list_put(array['lst_4'], array['block'], array['user'],
    array['u-1'], array['third'], array['epoch']::timestamptz[], 'me');
select lists from assay.epoch;

-- Another reason or end is a change, under the id that it had.
select * from assay.list_put(array['lst_5'], array['block'], array['user'],
    array['u-1'], array['third'], array['2050-01-01']::timestamptz[], 'me');
select * from assay.list_put(array['lst_6'], array['block'], array['user'],
    array['u-1'], array[null], array['epoch']::timestamptz[], 'me');
select assay.list_json(l) from assay.list_entry l order by id;

-- Another kind is another entry.
select * from assay.list_put(array['lst_7'], array['allow'], array['user'],
    array['u-1'], array[null], array['epoch']::timestamptz[], 'me');
select lists from assay.epoch;

select assay.list_remove('lst_7');
select assay.list_remove('lst_7');
select lists from assay.epoch;
select subject, changed from assay.list_subject where changed > 1 order by 1;

-- What is neither a kind nor a subject.
select * from assay.list_put(array['lst_8'], array['deny'], array['user'],
    array['u-1'], array[null], array['epoch']::timestamptz[], 'me');
select * from assay.list_put(array['lst_8'], array['block'], array['email'],
    array['u-1'], array[null], array['epoch']::timestamptz[], 'me');
