/* SPDX-License-Identifier: ISC */
/*
 * core/state/entity_graph.c: entities, links, and components, compared with a
 * recount.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/arena.h"
#include "core/state/entity_graph.h"
#include "t/unit/unit.h"

#define BLOCK ((size_t)8 << 20)
#define MANY 700

static char *block;
static struct arena arena;

static void
set_up(void)
{
	block = malloc(BLOCK);
	ck_assert_ptr_nonnull(block);
	arena_init(&arena, block, BLOCK);
}

static void
tear_down(void)
{
	arena_reset(&arena);
	free(block);
}

/* A stored entity that is its own component. */
static struct graph_node *
stored(struct graph *g, enum graph_node_kind kind, const char *key, int64_t id)
{
	return entity_graph_bind(g, entity_graph_node(g, kind, key), id);
}

START_TEST(equal_keys_of_two_kinds_are_two_nodes)
{
	struct graph *g = entity_graph_new(&arena, 8, 8);
	struct graph_node *d = entity_graph_node(g, NODE_DEVICE, "x");

	ck_assert_ptr_ne(d, entity_graph_node(g, NODE_IP, "x"));
	ck_assert_ptr_eq(d, entity_graph_node(g, NODE_DEVICE, "x"));
	ck_assert_ptr_eq(d, entity_graph_find(g, NODE_DEVICE, "x"));
	ck_assert_ptr_null(entity_graph_find(g, NODE_PHONE, "x"));
}
END_TEST

START_TEST(link_counts_users_and_joins_components)
{
	struct graph *g = entity_graph_new(&arena, 8, 8);
	struct graph_node *u = stored(g, NODE_USER, "u", 1);
	struct graph_node *v = stored(g, NODE_USER, "v", 2);
	struct graph_node *d = stored(g, NODE_DEVICE, "d", 3);

	entity_graph_link_make(g, u, d);
	ck_assert_int_eq(d->users, 1);
	ck_assert_int_eq(u->users, 0);
	ck_assert_int_eq(entity_graph_ring(u), 2);
	ck_assert_int_eq(entity_graph_ring(v), 1);
	entity_graph_link_make(g, v, d);
	ck_assert_int_eq(d->users, 2);
	ck_assert_int_eq(entity_graph_ring(v), 3);
	ck_assert_ptr_eq(entity_graph_root(u), entity_graph_root(v));
	ck_assert(entity_graph_linked(g, entity_graph_link_of(d, u)));
	ck_assert(!entity_graph_linked(g, entity_graph_link_of(u, v)));
}
END_TEST

START_TEST(unbound_node_is_new_again)
{
	struct graph *g = entity_graph_new(&arena, 8, 8);
	struct graph_node *u = stored(g, NODE_USER, "u", 1);
	struct graph_node *d = stored(g, NODE_DEVICE, "d", 2);

	d->seen = true;
	entity_graph_link_make(g, u, d);
	entity_graph_unbind(d);
	ck_assert(!d->seen);
	ck_assert_int_eq(d->id, 0);
	ck_assert_int_eq(d->users, 0);
	ck_assert_int_eq(entity_graph_ring(d), 1);
	ck_assert_ptr_eq(entity_graph_find(g, NODE_DEVICE, "d"), d);
	ck_assert_ptr_eq(entity_graph_bind(g, d, 7), d);
	ck_assert_ptr_eq(entity_graph_node_id(g, 7), d);
	ck_assert_ptr_ne(entity_graph_node_id(g, 2), d);
	ck_assert(!entity_graph_linked(g, entity_graph_link_of(u, d)));
}
END_TEST

START_TEST(among_equal_sizes_smaller_id_is_root)
{
	struct graph *g = entity_graph_new(&arena, 4, 4);
	struct graph_node *u = stored(g, NODE_USER, "u", 9);
	struct graph_node *d = stored(g, NODE_DEVICE, "d", 4);

	entity_graph_link_make(g, u, d);
	ck_assert_ptr_eq(entity_graph_root(u), d);
	ck_assert_int_eq(u->parent, 4);
	ck_assert_int_eq(d->parent, 0);
	ck_assert(u->dirty && d->dirty);
}
END_TEST

START_TEST(fingerprint_is_counted_but_joins_nothing)
{
	struct graph *g = entity_graph_new(&arena, 8, 8);
	struct graph_node *u = stored(g, NODE_USER, "u", 1);
	struct graph_node *d = stored(g, NODE_DEVICE, "d", 2);
	struct graph_node *e = stored(g, NODE_DEVICE, "e", 3);
	struct graph_node *p = stored(g, NODE_FINGERPRINT, "p", 4);

	entity_graph_link_make(g, u, p);
	entity_graph_link_make(g, d, p);
	entity_graph_link_make(g, e, p);
	ck_assert_int_eq(p->users, 1);
	ck_assert_int_eq(p->devices, 2);
	ck_assert_int_eq((int)p->first_device, 2);
	ck_assert_int_eq(entity_graph_ring(u), 1);
	ck_assert_int_eq(entity_graph_ring(p), 1);
}
END_TEST

START_TEST(counters_and_sizes_are_capped)
{
	struct graph *g = entity_graph_new(&arena, MANY + 2, MANY);
	struct graph_node *ip = stored(g, NODE_IP, "ip", 1), *u = NULL;
	static char keys[MANY][8];
	int i;

	for (i = 0; i < MANY; i++) {
		snprintf(keys[i], sizeof(keys[i]), "u%d", i);
		u = stored(g, NODE_USER, keys[i], 10 + i);
		if (i == ENTITY_GRAPH_CAP)
			ip->dirty = false;
		entity_graph_link_make(g, ip, u);
	}
	ck_assert_int_eq(ip->users, ENTITY_GRAPH_CAP);
	ck_assert_int_eq(entity_graph_ring(ip), ENTITY_GRAPH_CAP);
	ck_assert_int_eq(entity_graph_ring(u), ENTITY_GRAPH_CAP);

	/* A saturated root is not written again. */
	ck_assert(!entity_graph_root(ip)->dirty);
}
END_TEST

START_TEST(saturated_components_are_not_joined)
{
	struct graph *g = entity_graph_new(&arena, 4, 4);
	struct graph_node *a = stored(g, NODE_DEVICE, "a", 1);
	struct graph_node *b = stored(g, NODE_IP, "b", 2);

	a->size = b->size = ENTITY_GRAPH_CAP;
	entity_graph_link_make(g, a, b);
	ck_assert_ptr_ne(entity_graph_root(a), entity_graph_root(b));
	ck_assert(!a->dirty && !b->dirty);
}
END_TEST

START_TEST(root_known_by_id_becomes_the_entity)
{
	struct graph *g = entity_graph_new(&arena, 8, 8);
	struct graph_node *u = stored(g, NODE_USER, "u", 1);
	struct graph_node *root = entity_graph_node_id(g, 7), *d;

	root->size = 40;
	u->up = root;
	d = stored(g, NODE_DEVICE, "d", 7);
	ck_assert_ptr_eq(entity_graph_root(u), d);
	ck_assert_int_eq(entity_graph_ring(u), 40);
	ck_assert_ptr_eq(entity_graph_node_id(g, 7), d);
}
END_TEST

/* The recount relabels a component at each link, which is slow and simple. */
START_TEST(random_components_equal_a_recount)
{
	enum { N = 120, LINKS = 90 };
	static char keys[N][8];
	struct graph *g = entity_graph_new(&arena, N, LINKS);
	struct graph_node *node[N];
	int label[N], i, j, a, b, from, size;
	unsigned seed = (unsigned)_i + 1;

	for (i = 0; i < N; i++) {
		snprintf(keys[i], sizeof(keys[i]), "k%d", i);
		node[i] = stored(
		    g, i % 2 == 0 ? NODE_USER : NODE_IP, keys[i], 1000 - i);
		label[i] = i;
	}
	for (i = 0; i < LINKS; i++) {
		seed = seed * 1103515245 + 12345;
		a = (int)(seed >> 16) % N;
		seed = seed * 1103515245 + 12345;
		b = (int)(seed >> 16) % N;
		if (a == b ||
		    entity_graph_linked(
			g, entity_graph_link_of(node[a], node[b])))
			continue;
		entity_graph_link_make(g, node[a], node[b]);
		for (from = label[b], j = 0; j < N; j++) {
			if (label[j] == from)
				label[j] = label[a];
		}
	}
	for (i = 0; i < N; i++) {
		for (size = 0, j = 0; j < N; j++)
			size += label[j] == label[i];
		ck_assert_int_eq(entity_graph_ring(node[i]), size);
	}
}
END_TEST

Suite *
suite_entity_graph(void)
{
	Suite *s = suite_create("entity_graph");
	TCase *tc = tcase_create("entity_graph");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, equal_keys_of_two_kinds_are_two_nodes);
	tcase_add_test(tc, link_counts_users_and_joins_components);
	tcase_add_test(tc, unbound_node_is_new_again);
	tcase_add_test(tc, among_equal_sizes_smaller_id_is_root);
	tcase_add_test(tc, fingerprint_is_counted_but_joins_nothing);
	tcase_add_test(tc, counters_and_sizes_are_capped);
	tcase_add_test(tc, saturated_components_are_not_joined);
	tcase_add_test(tc, root_known_by_id_becomes_the_entity);
	tcase_add_loop_test(tc, random_components_equal_a_recount, 0, 50);
	suite_add_tcase(s, tc);
	return s;
}
