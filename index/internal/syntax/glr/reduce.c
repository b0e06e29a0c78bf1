// Reductions of glr.c: trees on top of a stack become the children of a new one.
#include "glr.h"

#include <string.h>

// quarry_glr_choice turns a path around: it has the first tree first, and the extras after
// the last that is none are set apart.
choice quarry_glr_choice(path *p) {
	for (uint32_t i = 0, j = p->count; i + 1 < j; i++) {
		tree t = p->trees[i];
		p->trees[i] = p->trees[--j];
		p->trees[j] = t;
	}
	choice c = {.trees = p->trees, .count = p->count};
	while (c.count > 0 && flags_of(c.trees[c.count - 1]) & tree_extra) c.count--, c.extras++;
	for (uint32_t i = 0; i < c.count; i++) {
		c.precedence += precedence_of(c.trees[i]);
		if (symbol_of(c.trees[i]) != symbol_skipped) c.cost += cost_of(c.trees[i]);
	}
	return c;
}

// better says whether b are to be the children instead of a.
static bool better(glr *g, const choice *a, const choice *b) {
	if (a->cost != b->cost) return b->cost < a->cost;
	if (a->precedence != b->precedence) return b->precedence > a->precedence;
	return a->cost > 0 || quarry_glr_compare_lists(g, a->trees, a->count, b->trees, b->count) > 0;
}

// merged merges a version with the first one that it can be merged with, but not with
// skip, and says whether there was one.
static bool merged(glr *g, uint32_t v, uint32_t skip) {
	for (uint32_t i = 0; i < v; i++) {
		if (i != skip && quarry_glr_merge(g, i, v)) return true;
	}
	return false;
}

// quarry_glr_reduce makes a node of the trees on top of a version, for each way back, as
// new versions. It returns the first of them, or no_version if none stays.
uint32_t quarry_glr_reduce(glr *g, uint32_t v, const parse_action *a, bool ends_extra) {
	uint32_t before = g->count, removed = 0;
	if (!quarry_glr_pop(g, v, a->reduce.children)) {
		g->give_up = true;
		return no_version;
	}
	for (uint32_t i = 0; i < g->slices; i++) {
		uint32_t old = g->slice[i].version, now = old - removed;
		if (now > most_new) {
			quarry_glr_remove(g, now);
			removed++;
			while (i + 1 < g->slices && g->slice[i + 1].version == old) i++;
			continue;
		}
		choice best = quarry_glr_choice(&g->slice[i].path);
		for (; i + 1 < g->slices && g->slice[i + 1].version == old; i++) {
			choice other = quarry_glr_choice(&g->slice[i + 1].path);
			if (better(g, &best, &other)) best = other;
		}
		node *n = quarry_glr_node(g, a->reduce.symbol, a->reduce.production, best.count);
		if (best.count > 0) memcpy(children(n), best.trees, best.count * sizeof(tree));
		quarry_glr_sum(g->lang, n);
		n->precedence += a->reduce.precedence;
		version *to = &g->versions[now];
		uint16_t state = to->top->state, next = cell(g, state, n->symbol);
		if (ends_extra && next == state) n->flags |= tree_extra;
		push(g, to, (tree){.node = n}, next);
		for (uint32_t j = 0; j < best.extras; j++) push(g, to, best.trees[best.count + j], next);
		if (merged(g, now, v)) removed++;
	}
	return g->count > before ? before : no_version;
}

// taken says that a version other than v is where v would be with a state on top.
static bool taken(const glr *g, uint32_t v, uint16_t state) {
	for (uint32_t i = 0; i < g->count; i++) {
		const point *p = g->versions[i].top;
		if (i != v && p->state == state && p->at == g->versions[v].top->at) return true;
	}
	return false;
}

// quarry_glr_reduce_alone is quarry_glr_reduce for a version of which nothing else
// becomes: the node takes the place of its children. It returns false, and has done
// nothing, where there is more than one way back, or another version to merge with.
bool quarry_glr_reduce_alone(glr *g, uint32_t v, const parse_action *a, bool ends_extra) {
	enum { most_extras = 64 };
	point *p = g->versions[v].top;
	uint32_t count = 0, extras = 0;
	for (uint32_t solid = 0; solid < a->reduce.children; count++) {
		if (p->links != 1 || !p->first.tree.leaf) return false;
		if (!(flags_of(p->first.tree) & tree_extra)) solid++;
		else if (solid == 0) extras++;
		p = p->first.from;
	}
	uint16_t next = cell(g, p->state, a->reduce.symbol);
	if (extras > most_extras || (g->count > 1 && (g->count > most_new || taken(g, v, next)))) return false;
	tree after[most_extras];
	uint32_t own = count - extras;
	node *n = quarry_glr_node(g, a->reduce.symbol, a->reduce.production, own);
	tree *c = children(n);
	p = g->versions[v].top;
	for (uint32_t i = count; i > 0; i--) {
		if (i > own) after[i - 1 - own] = p->first.tree;
		else c[i - 1] = p->first.tree;
		point *from = p->first.from;
		if (--p->refs == 0) {
			p->first.from = g->unused;
			g->unused = p;
		} else {
			from->refs++;
		}
		p = from;
	}
	quarry_glr_sum(g->lang, n);
	n->precedence += a->reduce.precedence;
	if (ends_extra && next == p->state) n->flags |= tree_extra;
	p = quarry_glr_point(g, p, (tree){.node = n}, next);
	for (uint32_t i = 0; i < extras; i++) p = quarry_glr_point(g, p, after[i], next);
	g->versions[v].top = p;
	return true;
}

// quarry_glr_accept makes the root: the tree that is no extra, with the extras around it.
void quarry_glr_accept(glr *g, uint32_t v, const token *t) {
	push(g, &g->versions[v], quarry_glr_leaf(g, t, true), 1);
	if (!quarry_glr_pop(g, v, UINT32_MAX) || g->slices == 0) {
		g->give_up = true;
		return;
	}
	for (uint32_t i = 0; i < g->slices; i++) {
		uint32_t count = g->slice[i].path.count;
		choice all = quarry_glr_choice(&g->slice[i].path);
		if (all.count == 0) { // what is accepted is no extra
			g->give_up = true;
			return;
		}
		uint32_t top = all.count - 1; // the last that is no extra
		tree whole = all.trees[top];
		uint32_t inner = children_of(whole);
		node *n = quarry_glr_node(g, symbol_of(whole), inner ? whole.node->production : 0, count - 1 + inner);
		tree *c = children(n);
		memcpy(c, all.trees, top * sizeof(tree));
		if (inner > 0) memcpy(c + top, children(whole.node), inner * sizeof(tree));
		memcpy(c + top + inner, all.trees + top + 1, (count - top - 1) * sizeof(tree));
		if (n->symbol == symbol_error) quarry_glr_sum_error(g, n, 0);
		else quarry_glr_sum(g->lang, n);
		tree root = {.node = n}, have = g->finished;
		g->accepted++;
		if (!have.leaf) {
			g->finished = root;
			continue;
		}
		choice a = {&have, 1, 0, cost_of(have), precedence_of(have)}, b = {&root, 1, 0, cost_of(root), precedence_of(root)};
		if (better(g, &a, &b)) g->finished = root;
	}
	quarry_glr_remove(g, g->slice[0].version);
	g->versions[v].status = halted;
}
