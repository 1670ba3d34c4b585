# shellcheck shell=sh
# SPDX-License-Identifier: ISC
# The counters of the entity graph against its links.  Sourced after lib.sh.

# graph_faults: the counters, sizes and remembered roots of users that differ from a
# count of the links; nothing if none does.  A remembered root that has a parent
# now is not compared.
graph_faults() {
	sql "with recursive side as (
		select older as id, newer as other from assay.entity_link
		union all select newer, older from assay.entity_link
	), counted as (
		select e.id, count(*) filter (where o.kind = 1 and e.kind <> 1) as users,
		count(*) filter (where o.kind = 2 and e.kind = 5) as devices,
		coalesce(e.first_device = any(array_agg(o.id)
		    filter (where o.kind = 2)), e.devices = 0) as first
		from assay.entity e left join side s on s.id = e.id
		left join assay.entity o on o.id = s.other group by e.id
	), walk (start, id) as (
		select id, id from assay.entity where kind between 1 and 4
		union select w.start, s.other from walk w join side s on s.id = w.id
		join assay.entity o on o.id = s.other and o.kind between 1 and 4
	), size as (
		select start, count(*) as n, min(id) as first from walk group by start
	), up (id, at) as (
		select id, id from assay.entity
		union all select up.id, e.parent from up join assay.entity e
		on e.id = up.at where e.parent is not null
	), root as (
		select up.id, r.id as root, r.size from up join assay.entity r
		on r.id = up.at and r.parent is null
	)
	select e.kind, e.key, e.users, c.users, e.devices, c.devices, r.size, s.n
	from assay.entity e join counted c using (id)
	left join size s on s.start = e.id left join root r using (id)
	where e.users <> least(c.users, 500) or e.devices <> least(c.devices, 500)
	or not c.first or r.root is null
	or (e.kind between 1 and 4 and r.size <> least(s.n, 500))
	union all
	select 1, u.user_id, u.node, e.id, u.root, r.root, null, null
	from assay.user_state u left join assay.entity e
	on e.kind = 1 and e.key = u.user_id left join root r on r.id = e.id
	left join assay.entity t on t.id = u.root
	where u.node is distinct from e.id
	or t.parent is null and u.root is distinct from r.root
	limit 5"
}
