// The stack of glr.c: points that several versions of the text before share.
#include "glr.h"

#include <string.h>

// nodes_of counts the visible nodes of a tree, to see how far a version has come; a list
// of what was skipped counts as one.
static inline uint32_t nodes_of(tree t) {
	uint32_t n = flags_of(t) & tree_visible ? 1 : 0;
	if (is_leaf(t)) return n;
	return n + (t.node->children > 0 ? t.node->below : 0) + (t.node->symbol == symbol_skipped ? 1 : 0);
}

// quarry_glr_point makes a point above another, whose reference it takes over.
point *quarry_glr_point(glr *g, point *from, tree t, uint16_t state) {
	point *p = g->unused;
	if (p) {
		g->unused = p->first.from;
	} else {
		p = take(g, sizeof(point));
		p->more = NULL;
	}
	p->refs = 1;
	p->state = state;
	p->links = 1;
	p->at = from->at;
	p->cost = from->cost;
	p->nodes = from->nodes;
	p->precedence = from->precedence;
	p->first = (link){from, t};
	if (t.leaf) {
		p->at += padding_of(t) + size_of(t);
		p->cost += cost_of(t);
		p->nodes += nodes_of(t);
		p->precedence += precedence_of(t);
	}
	return p;
}

static inline link *link_at(point *p, uint32_t i) { return i == 0 ? &p->first : &p->more[i - 1]; }

// quarry_glr_release gives a reference back. A stack is as deep as the text is nested, so
// that the points that go, too, but for those of first links, are a list, linked by what
// was their first tree: nothing else refers to them.
void quarry_glr_release(glr *g, point *p) {
	for (point *others = NULL;;) {
		while (p && --p->refs == 0) {
			point *from = p->links > 0 ? p->first.from : NULL;
			for (uint32_t i = 1; i < p->links; i++) {
				point *other = p->more[i - 1].from;
				if (other->refs > 1) {
					other->refs--;
					continue;
				}
				other->first.tree.node = (node *)others;
				others = other;
			}
			p->first.from = g->unused;
			g->unused = p;
			p = from;
		}
		if (!others) return;
		p = others;
		others = (point *)p->first.tree.node;
	}
}

static const scan_state *state_of(tree t) { return is_leaf(t) || t.node->children > 0 ? NULL : t.node->after; }

// alike says that two trees are the same as far as what follows is concerned.
static bool alike(tree a, tree b) {
	if (a.leaf == b.leaf) return true;
	if (!a.leaf || !b.leaf || symbol_of(a) != symbol_of(b)) return false;
	if (cost_of(a) > 0 && cost_of(b) > 0) return true;
	return padding_of(a) == padding_of(b) && size_of(a) == size_of(b) &&
		children_of(a) == children_of(b) && (flags_of(a) & tree_extra) == (flags_of(b) & tree_extra) &&
		same_state(state_of(a), state_of(b));
}

// later keeps a link to be added to a point.
static void later(glr *g, uint32_t *n, point *p, link l) {
	if (*n == g->addition_room) {
		uint32_t room = 2 * *n + most_links;
		addition *more = take(g, room * sizeof(addition));
		if (*n > 0) memcpy(more, g->additions, *n * sizeof(addition));
		g->additions = more;
		g->addition_room = room;
	}
	g->additions[(*n)++] = (addition){p, l};
}

// add_one lets a point be reached by another link, too. Ambiguities stay until a reduction
// pops them, but for those between the same two points. Where the points that the links
// are from can be merged, that is left for later: those of n additions.
static void add_one(glr *g, uint32_t *n, point *p, link l) {
	if (l.from == p) return;
	for (uint32_t i = 0; i < p->links; i++) {
		link *have = link_at(p, i);
		if (!alike(have->tree, l.tree)) continue;
		int32_t precedence = l.from->precedence + (l.tree.leaf ? precedence_of(l.tree) : 0);
		if (have->from == l.from) {
			if (l.tree.leaf && precedence_of(l.tree) > precedence_of(have->tree)) {
				have->tree = l.tree;
				p->precedence = precedence;
			}
			return;
		}
		if (have->from->state == l.from->state && have->from->at == l.from->at && have->from->cost == l.from->cost) {
			for (uint32_t j = l.from->links; j > 0; j--) later(g, n, have->from, *link_at(l.from, j - 1));
			if (precedence > p->precedence) p->precedence = precedence;
			return;
		}
	}
	if (p->links == most_links) return;
	l.from->refs++;
	if (p->links == 0) {
		p->first = l;
	} else {
		if (!p->more) p->more = take(g, (most_links - 1) * sizeof(link));
		p->more[p->links - 1] = l;
	}
	p->links++;
	uint32_t nodes = l.from->nodes + (l.tree.leaf ? nodes_of(l.tree) : 0);
	if (nodes > p->nodes) p->nodes = nodes;
	int32_t precedence = l.from->precedence + (l.tree.leaf ? precedence_of(l.tree) : 0);
	if (precedence > p->precedence) p->precedence = precedence;
}

// add_link is add_one with all that follows from it, which may be as much as the text is
// nested: one after the other, the first of the deepest points first.
static void add_link(glr *g, point *p, link l) {
	uint32_t n = 0;
	add_one(g, &n, p, l);
	while (n > 0 && !g->give_up) {
		addition a = g->additions[--n];
		add_one(g, &n, a.to, a.link);
		tick(g);
	}
}

bool quarry_glr_can_merge(const glr *g, uint32_t into, uint32_t other) {
	const version *a = &g->versions[into], *b = &g->versions[other];
	return a->status == active && b->status == active && a->top->state == b->top->state &&
		a->top->at == b->top->at && a->top->cost == b->top->cost && same_state(a->after, b->after);
}

// quarry_glr_merge makes one version of two that can only go on in the same way, the
// first of them, and says whether they were such.
bool quarry_glr_merge(glr *g, uint32_t into, uint32_t other) {
	if (!quarry_glr_can_merge(g, into, other)) return false;
	version *a = &g->versions[into], *b = &g->versions[other];
	for (uint32_t i = 0; i < b->top->links; i++) add_link(g, a->top, *link_at(b->top, i));
	if (a->top->state == state_error) a->nodes_at_error = a->top->nodes;
	quarry_glr_remove(g, other);
	return true;
}

void quarry_glr_remove(glr *g, uint32_t v) {
	quarry_glr_release(g, g->versions[v].top);
	g->count--;
	memmove(&g->versions[v], &g->versions[v + 1], (g->count - v) * sizeof(version));
}

// quarry_glr_renumber puts a version in the place of one before it.
void quarry_glr_renumber(glr *g, uint32_t from, uint32_t to) {
	if (from == to) return;
	summary *s = g->versions[to].summary;
	quarry_glr_release(g, g->versions[to].top);
	g->versions[to] = g->versions[from];
	if (s && !g->versions[to].summary) g->versions[to].summary = s;
	g->count--;
	memmove(&g->versions[from], &g->versions[from + 1], (g->count - from) * sizeof(version));
}

// grow makes room for one more tree on a path, in memory that is not another path's.
static void grow(glr *g, path *p, bool copy) {
	if (!copy && p->count < p->room) return;
	uint32_t room = p->count < p->room ? p->room : 2 * p->room + 8;
	tree *trees = take(g, room * sizeof(tree));
	if (p->count > 0) memcpy(trees, p->trees, p->count * sizeof(tree));
	p->trees = trees;
	p->room = room;
}

// add_slice notes a path that has come to its end: as one of the version that begins
// there, which is a new one unless another path has ended at the same point. It returns
// false where there is no room for one more.
static bool add_slice(glr *g, uint32_t original, const path *p) {
	if (g->slices == g->slice_room) {
		uint32_t room = 2 * g->slice_room + most_paths;
		slice *more = take(g, room * sizeof(slice));
		if (g->slices > 0) memcpy(more, g->slice, g->slices * sizeof(slice));
		g->slice = more;
		g->slice_room = room;
	}
	uint32_t n = g->slices, i = n;
	while (i > 0 && g->versions[g->slice[i - 1].version].top != p->at) i--;
	uint32_t v = i > 0 ? g->slice[i - 1].version : g->count;
	if (i == 0) {
		if (g->count == room_versions) return false;
		i = n;
		p->at->refs++;
		const version *of = &g->versions[original];
		g->versions[g->count++] = (version){.top = p->at, .after = of->after, .nodes_at_error = of->nodes_at_error};
	}
	memmove(&g->slice[i + 1], &g->slice[i], (n - i) * sizeof(slice));
	g->slice[i] = (slice){*p, v};
	g->slices++;
	return true;
}

// quarry_glr_pop follows all paths back from a version's top, past count trees that are
// no extras, or to the bottom if count is UINT32_MAX. It leaves them in g->slice, those of
// one version next to each other, their trees from the last to the first. It returns false
// where there are too many versions.
bool quarry_glr_pop(glr *g, uint32_t v, uint32_t count) {
	uint32_t n = 1;
	g->slices = 0;
	g->paths[0] = (path){.at = g->versions[v].top};
	while (n > 0) {
		for (uint32_t i = 0, end = n; i < end; i++) {
			path *p = &g->paths[i];
			point *at = p->at;
			bool done = p->solid == count || (count == UINT32_MAX && at->links == 0);
			if (done && !add_slice(g, v, p)) return false;
			if (done || at->links == 0) {
				n--, end--;
				memmove(p, p + 1, (n - i) * sizeof(path));
				i--;
				continue;
			}
			for (uint32_t j = 1; j <= at->links; j++) {
				path *next = p;
				link l = at->first;
				if (j < at->links) {
					if (n == most_paths) continue;
					next = &g->paths[n++];
					*next = *p;
					l = at->more[j - 1];
				}
				grow(g, next, j < at->links);
				next->at = l.from;
				if (l.tree.leaf) next->trees[next->count++] = l.tree;
				if (!l.tree.leaf || !(flags_of(l.tree) & tree_extra)) next->solid++;
			}
		}
	}
	return true;
}

static void add_entry(glr *g, summary *s, const point *p, uint32_t depth) {
	for (uint32_t i = s->count; i > 0; i--) {
		summary_entry *e = &s->entries[i - 1];
		if (e->depth < depth) break;
		if (e->depth == depth && e->state == p->state) return;
	}
	if (s->count == s->room) {
		uint32_t room = 2 * s->room + 16;
		summary_entry *entries = take(g, room * sizeof(summary_entry));
		if (s->count > 0) memcpy(entries, s->entries, s->count * sizeof(summary_entry));
		s->entries = entries;
		s->room = room;
	}
	s->entries[s->count++] = (summary_entry){p->at, depth, p->state};
}

// quarry_glr_summarize notes the states on all paths back from a version's top.
void quarry_glr_summarize(glr *g, uint32_t v) {
	struct { point *at; uint32_t depth; } paths[most_paths] = {{g->versions[v].top, 0}};
	summary *s = take(g, sizeof(summary));
	*s = (summary){0};
	for (uint32_t n = 1; n > 0;) {
		for (uint32_t i = 0, end = n; i < end; i++) {
			point *at = paths[i].at;
			uint32_t depth = paths[i].depth;
			if (depth <= most_depth) add_entry(g, s, at, depth);
			if (depth > most_depth || at->links == 0) {
				n--, end--;
				memmove(&paths[i], &paths[i + 1], (n - i) * sizeof(paths[0]));
				i--;
				continue;
			}
			for (uint32_t j = 1; j <= at->links; j++) {
				uint32_t next = i;
				link l = at->first;
				if (j < at->links) {
					if (n == most_paths) continue;
					next = n++;
					l = at->more[j - 1];
				}
				paths[next].at = l.from;
				paths[next].depth = depth + (!l.tree.leaf || !(flags_of(l.tree) & tree_extra));
			}
		}
	}
	g->versions[v].summary = s;
}
