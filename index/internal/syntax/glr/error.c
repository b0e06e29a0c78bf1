// What glr.c does where a text is no sentence of the grammar. A version that cannot go on
// waits; if all do, the best of them goes on with an error: all reductions that any token
// would allow are done, a token that is missing is made up if the next one fits then, and
// a mark of the error is put on the stack. From there it either finds a state below in
// which the next token is welcome, and all above becomes an error, or skips the token.
// Each of these costs something, and the version that costs least is the one that stays.
#include "glr.h"

#include <string.h>

// The most that a version may cost more than another.
enum { most_difference = 16 * cost_of_tree };

typedef struct {
	uint32_t cost, nodes;
	int32_t precedence;
	bool wrong; // it is in the middle of an error
} standing;

typedef enum { take_left, prefer_left, no_matter, prefer_right, take_right } verdict;

static uint32_t cost_so_far(const version *v) {
	uint32_t cost = v->top->cost;
	if (v->status == paused || (v->top->state == state_error && !v->top->first.tree.leaf)) cost += cost_of_recovery;
	return cost;
}

static uint32_t nodes_since_error(version *v) {
	if (v->top->nodes < v->nodes_at_error) v->nodes_at_error = v->top->nodes;
	return v->top->nodes - v->nodes_at_error;
}

static standing standing_of(version *v) {
	return (standing){
		cost_so_far(v) + (v->status == paused ? cost_of_tree : 0),
		nodes_since_error(v),
		v->top->precedence,
		v->status == paused || v->top->state == state_error,
	};
}

static verdict judge(standing a, standing b) {
	if (!a.wrong && b.wrong) return a.cost < b.cost ? take_left : prefer_left;
	if (a.wrong && !b.wrong) return b.cost < a.cost ? take_right : prefer_right;
	if (a.cost < b.cost) return (b.cost - a.cost) * (1 + a.nodes) > most_difference ? take_left : prefer_left;
	if (b.cost < a.cost) return (a.cost - b.cost) * (1 + b.nodes) > most_difference ? take_right : prefer_right;
	if (a.precedence != b.precedence) return a.precedence > b.precedence ? prefer_left : prefer_right;
	return no_matter;
}

// better_exists says that a version would be worse than another if it cost so much.
static bool better_exists(glr *g, uint32_t v, uint32_t cost) {
	if (g->finished.leaf && cost_of(g->finished) <= cost) return true;
	version *me = &g->versions[v];
	standing mine = {cost, nodes_since_error(me), me->top->precedence, false};
	for (uint32_t i = 0; i < g->count; i++) {
		version *other = &g->versions[i];
		if (i == v || other->status != active || other->top->at < me->top->at) continue;
		verdict r = judge(mine, standing_of(other));
		if (r == take_right || (r == prefer_right && quarry_glr_can_merge(g, i, v))) return true;
	}
	return false;
}

// A row is the cells of a state, by symbol: they are wanted in the order of symbols.
static const uint16_t *row(glr *g, uint16_t state) {
	const language *lang = g->lang;
	if (state < lang->large_state_count) return &lang->parse_table[state * lang->symbol_count];
	size_t size = lang->symbol_count * sizeof(uint16_t);
	if (!g->row) g->row = take(g, size);
	memset(g->row, 0, size);
	const uint16_t *p = &lang->small_parse_table[lang->small_parse_table_map[state - lang->large_state_count]];
	for (uint16_t groups = *p++; groups > 0; groups--) {
		uint16_t value = *p++;
		for (uint16_t n = *p++; n > 0; n--) {
			if (!g->row[*p]) g->row[*p] = value;
			p++;
		}
	}
	return g->row;
}

// possible are the reductions that a state has, whatever comes next.
typedef struct { const parse_action *actions[512]; uint32_t count; bool shifts; } possible;

static void add_possible(glr *g, possible *p, const parse_action *have) {
	for (uint32_t i = 1; i <= have->entry.count; i++) {
		const parse_action *a = have + i;
		if (a->type == action_shift || a->type == action_recover) {
			if (!a->shift.extra && !a->shift.repetition) p->shifts = true;
		} else if (a->type == action_reduce && a->reduce.children > 0) {
			bool known = false;
			for (uint32_t j = 0; j < p->count && !known; j++) {
				known = p->actions[j]->reduce.symbol == a->reduce.symbol && p->actions[j]->reduce.children == a->reduce.children;
			}
			if (known) continue;
			if (p->count == sizeof(p->actions) / sizeof(p->actions[0])) g->give_up = true;
			else p->actions[p->count++] = a;
		}
	}
}

// reduce_all does all reductions that are possible from a version on: before a token, or
// before any if symbol is 0. It says whether the token can be shifted then; versions in
// which it cannot are gone.
static bool reduce_all(glr *g, uint32_t first, uint16_t symbol) {
	uint32_t before = g->count, v = first;
	bool can_shift = false;
	for (uint32_t i = 0; v < g->count && !g->give_up; i++) {
		uint32_t count = g->count;
		bool merged = false;
		for (uint32_t j = before; j < v && !merged; j++) merged = quarry_glr_merge(g, j, v);
		if (merged) continue;
		possible p;
		p.count = 0;
		p.shifts = false;
		uint16_t state = g->versions[v].top->state;
		if (symbol != 0) {
			add_possible(g, &p, actions(g, state, symbol));
		} else {
			const uint16_t *cells = row(g, state);
			for (uint32_t s = 1; s < g->lang->token_count; s++) {
				if (cells[s]) add_possible(g, &p, &g->lang->parse_actions[cells[s]]);
			}
		}
		uint32_t made = no_version;
		for (uint32_t j = 0; j < p.count && !g->give_up; j++) made = quarry_glr_reduce(g, v, p.actions[j], false);
		if (p.shifts) {
			can_shift = true;
		} else if (made != no_version && i < most_versions) {
			quarry_glr_renumber(g, made, v);
			continue;
		} else if (symbol != 0) {
			quarry_glr_remove(g, v);
		}
		v = v == first ? count : v + 1;
	}
	return can_shift;
}

static tree error_of(glr *g, const tree *trees, uint32_t count, uint16_t symbol, bool extra, uint32_t start) {
	node *n = quarry_glr_node(g, symbol, 0, count);
	if (count > 0) memcpy(children(n), trees, count * sizeof(tree));
	quarry_glr_sum_error(g, n, start);
	if (extra) n->flags |= tree_extra;
	return (tree){.node = n};
}

// pop_error takes an error from the top of a version, if one is there.
static tree pop_error(glr *g, version *v) {
	point *p = v->top;
	for (uint32_t i = 0; i < p->links; i++) {
		link l = i == 0 ? p->first : p->more[i - 1];
		if (!l.tree.leaf || symbol_of(l.tree) != symbol_error) continue;
		l.from->refs++;
		quarry_glr_release(g, p);
		v->top = l.from;
		return l.tree;
	}
	return (tree){0};
}

// recover_to makes an error of all that is above a state, depth trees below the top.
static bool recover_to(glr *g, uint32_t v, uint32_t depth, uint16_t goal) {
	if (!quarry_glr_pop(g, v, depth)) {
		g->give_up = true;
		return false;
	}
	uint32_t previous = no_version;
	for (uint32_t i = 0; i < g->slices; i++) {
		version *to = &g->versions[g->slice[i].version];
		if (g->slice[i].version == previous) continue;
		if (to->top->state != goal) {
			to->status = halted;
			continue;
		}
		choice c = quarry_glr_choice(&g->slice[i].path);
		tree before = pop_error(g, to);
		uint32_t inner = before.leaf ? children_of(before) : 0, count = inner + c.count;
		tree *all = c.trees;
		if (inner > 0) {
			// What follows the children of the error may be extras to the last.
			all = take(g, (count + c.extras) * sizeof(tree));
			memcpy(all, children(before.node), inner * sizeof(tree));
			memcpy(all + inner, c.trees, (c.count + c.extras) * sizeof(tree));
			while (c.count == 0 && count > 0 && flags_of(all[count - 1]) & tree_extra) count--, c.extras++;
		}
		if (count > 0) push(g, to, error_of(g, all, count, symbol_error, true, to->top->at), goal);
		for (uint32_t j = 0; j < c.extras; j++) push(g, to, all[count + j], goal);
		previous = g->slice[i].version;
	}
	return previous != no_version;
}

// find_state recovers to a state below in which the token is welcome, and says whether
// there is one that is worth it.
static bool find_state(glr *g, uint32_t v, const token *t, uint32_t versions) {
	version *me = &g->versions[v];
	const summary *s = me->summary;
	if (!s || t->symbol == symbol_error) return false;
	uint32_t at = me->top->at, so_far = cost_so_far(me);
	bool skipped = nodes_since_error(me) > 0;
	for (uint32_t i = 0; i < s->count; i++) {
		summary_entry e = s->entries[i];
		if (e.state == state_error || e.at == at) continue;
		bool there = false;
		for (uint32_t j = 0; j < versions && !there; j++) {
			there = g->versions[j].top->state == e.state && g->versions[j].top->at == at;
		}
		if (there) continue;
		uint32_t cost = so_far + e.depth * cost_of_tree + (at - e.at) * cost_of_byte + quarry_glr_lines(g, e.at, at) * cost_of_line;
		if (better_exists(g, v, cost)) break;
		if (cell(g, e.state, t->symbol) && recover_to(g, v, e.depth + skipped, e.state)) return true;
		if (g->give_up) return false;
	}
	return false;
}

// skip makes a token part of the error on top of a version.
static void skip(glr *g, uint32_t v, const token *t) {
	version *me = &g->versions[v];
	const parse_action *a = actions(g, 1, t->symbol);
	a += a->entry.count;
	bool extra = t->symbol == symbol_end || (a->entry.count > 0 && a->type == action_shift && a->shift.extra);
	tree leaf = quarry_glr_leaf(g, t, extra);
	tree error = error_of(g, &leaf, 1, symbol_skipped, false, me->top->at);
	if (nodes_since_error(me) > 0) {
		if (!quarry_glr_pop(g, v, 1) || g->slices == 0) {
			g->give_up = true;
			return;
		}
		uint32_t made = g->slice[0].version;
		while (g->count > made + 1) quarry_glr_remove(g, made + 1);
		quarry_glr_renumber(g, made, v);
		path *p = &g->slice[0].path;
		choice c = quarry_glr_choice(p);
		tree *all = take(g, (p->count + 1) * sizeof(tree));
		if (p->count > 0) memcpy(all, c.trees, p->count * sizeof(tree));
		all[p->count] = error;
		error = error_of(g, all, p->count + 1, symbol_skipped, false, me->top->at);
	}
	push(g, me, error, state_error);
	if (t->scanned) me->after = t->after;
}

// quarry_glr_recover goes on with a token from a version in an error: in a version of its
// own from where it is welcome, and by skipping it.
void quarry_glr_recover(glr *g, uint32_t v, const token *t) {
	uint32_t versions = g->count, at = g->versions[v].top->at, so_far = cost_so_far(&g->versions[v]);
	bool found = find_state(g, v, t, versions);
	if (g->give_up) return;
	for (uint32_t i = versions; i < g->count; i++) {
		if (g->versions[i].status != active) quarry_glr_remove(g, i--);
	}
	if (found && (g->count > most_versions || (t->scanned && t->changed))) {
		g->versions[v].status = halted;
		return;
	}
	if (t->symbol == symbol_end) {
		push(g, &g->versions[v], error_of(g, NULL, 0, symbol_error, false, at), 1);
		quarry_glr_accept(g, v, t);
		return;
	}
	uint32_t bytes = t->padding + t->size;
	uint32_t cost = so_far + cost_of_tree + bytes * cost_of_byte + quarry_glr_lines(g, at, at + bytes) * cost_of_line;
	if (better_exists(g, v, cost)) {
		g->versions[v].status = halted;
		return;
	}
	skip(g, v, t);
}

// make_up makes up a token after which the next one can be read, in a version of its own,
// and says whether there is one.
static bool make_up(glr *g, uint32_t v, const token *t) {
	uint16_t state = g->versions[v].top->state;
	const uint16_t *cells = row(g, state);
	for (uint32_t s = 1; s < g->lang->token_count; s++) {
		if (!cells[s]) continue;
		const parse_action *a = &g->lang->parse_actions[cells[s]];
		a += a->entry.count;
		if (a->type != action_shift || a->shift.extra) continue;
		uint16_t next = a->shift.state;
		if (next == 0 || next == state) continue;
		const parse_action *then = actions(g, next, t->symbol);
		if (then->entry.count == 0 || then[1].type != action_reduce) continue;
		if (g->count == room_versions) {
			g->give_up = true;
			return false;
		}
		uint32_t made = g->count++;
		g->versions[made] = g->versions[v];
		g->versions[made].summary = NULL;
		g->versions[made].top->refs++;
		push(g, &g->versions[made], leaf_tree(s, shows(g->lang, s) | tree_missing, 0, 0), next);
		if (reduce_all(g, made, t->symbol)) return true;
		if (g->give_up) return false;
		cells = row(g, state);
	}
	return false;
}

static void handle(glr *g, uint32_t v, const token *t) {
	uint32_t before = g->count;
	reduce_all(g, v, 0);
	uint32_t count = g->count;
	bool made_up = false;
	for (uint32_t i = v; i < count && !g->give_up; i = i == v ? before : i + 1) {
		if (!made_up) made_up = make_up(g, i, t);
		push(g, &g->versions[i], (tree){0}, state_error);
	}
	if (g->give_up) return;
	for (uint32_t i = before; i < count; i++) quarry_glr_merge(g, v, before);
	quarry_glr_summarize(g, v);
	quarry_glr_recover(g, v, t);
}

// quarry_glr_condense ends the versions that are worse than others, merges those that have
// become the same, and has the better ones first. Where none can go on, one goes on with
// an error. It returns the least that a version costs, and UINT32_MAX if there is none.
uint32_t quarry_glr_condense(glr *g) {
	uint32_t least = UINT32_MAX;
	for (uint32_t i = 0; i < g->count; i++) {
		if (g->versions[i].status == halted) {
			quarry_glr_remove(g, i--);
			continue;
		}
		standing mine = standing_of(&g->versions[i]); // also after a swap
		if (!mine.wrong && mine.cost < least) least = mine.cost;
		for (uint32_t j = 0; j < i; j++) {
			verdict r = judge(standing_of(&g->versions[j]), mine);
			if (r == take_left) {
				quarry_glr_remove(g, i--);
				break;
			}
			if (r == take_right) {
				quarry_glr_remove(g, j--);
				i--;
				continue;
			}
			if (quarry_glr_merge(g, j, i)) {
				i--;
				break;
			}
			if (r == prefer_right) {
				version t = g->versions[i];
				g->versions[i] = g->versions[j];
				g->versions[j] = t;
			}
		}
	}
	while (g->count > most_versions) quarry_glr_remove(g, most_versions);
	bool goes_on = false;
	for (uint32_t i = 0, n = g->count; i < n && !g->give_up; i++) {
		version *v = &g->versions[i];
		if (v->status != paused) {
			goes_on = true;
		} else if (!goes_on && g->accepted < most_versions) {
			least = cost_so_far(v);
			v->status = active;
			token t = v->token;
			handle(g, i, &t);
			goes_on = true;
		} else {
			quarry_glr_remove(g, i--);
			n--;
		}
	}
	return least;
}
