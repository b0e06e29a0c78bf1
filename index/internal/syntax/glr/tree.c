// The trees of glr.c: what a node has from its children, which of two is the better, and
// lists that are made less deep.
#include "glr.h"

#include <string.h>

// quarry_glr_sum fills in what a node has from its children.
void quarry_glr_sum(const language *lang, node *n) {
	const tree *c = children(n);
	const uint16_t *aliases = aliases_of(lang, n->production);
	uint32_t place = 0, size = 0, shown = 0, below = 0, cost = 0;
	int32_t precedence = 0;
	for (uint32_t i = 0; i < n->children; i++) {
		tree t = c[i];
		uint8_t flags = flags_of(t);
		size += padding_of(t) + size_of(t);
		bool visible = flags & tree_visible;
		if (!(flags & tree_extra)) {
			if (aliases && aliases[place]) visible = true;
			place++;
		}
		if (visible) {
			shown++;
			below++;
		}
		if (flags & tree_missing) cost += cost_of(t);
		if (is_leaf(t)) continue;
		if (t.node->symbol != symbol_skipped) cost += t.node->cost;
		if (t.node->children == 0) continue;
		below += t.node->below;
		precedence += t.node->precedence;
		if (!visible) shown += t.node->shown;
	}
	n->padding = n->children > 0 ? padding_of(c[0]) : 0;
	n->size = size - n->padding;
	n->shown = shown;
	n->below = below;
	n->cost = cost;
	n->precedence = precedence;
	n->repeat = 0;
	if (n->children >= 2 && !(n->flags & (tree_visible | tree_named)) && symbol_of(c[0]) == n->symbol) {
		uint16_t a = repeat_of(c[0]), b = repeat_of(c[n->children - 1]);
		n->repeat = (a > b ? a : b) + 1;
	}
}

// quarry_glr_sum_error is quarry_glr_sum for a node of what was skipped, whose padding
// begins at start.
void quarry_glr_sum_error(glr *g, node *n, uint32_t start) {
	quarry_glr_sum(g->lang, n);
	const tree *c = children(n);
	for (uint32_t i = 0; i < n->children; i++) {
		tree t = c[i];
		if (flags_of(t) & tree_extra || (symbol_of(t) == symbol_error && children_of(t) == 0)) continue;
		if (flags_of(t) & tree_visible) n->cost += cost_of_tree;
		else if (children_of(t) > 0) n->cost += cost_of_tree * t.node->shown;
	}
	start += n->padding;
	n->cost += cost_of_recovery + cost_of_byte * n->size + cost_of_line * quarry_glr_lines(g, start, start + n->size);
}

// quarry_glr_lines counts the ends of lines between two places.
uint32_t quarry_glr_lines(glr *g, uint32_t from, uint32_t to) {
	if (!g->lines) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < g->length; i++) n += g->text[i] == '\n';
		g->lines = take(g, (n + 1) * sizeof(uint32_t));
		for (uint32_t i = 0; i < g->length; i++) {
			if (g->text[i] == '\n') g->lines[g->line_count++] = i;
		}
	}
	uint32_t at[2] = {from, to};
	for (int k = 0; k < 2; k++) {
		uint32_t low = 0, high = g->line_count;
		while (low < high) {
			uint32_t mid = (low + high) / 2;
			if (g->lines[mid] < at[k]) low = mid + 1;
			else high = mid;
		}
		at[k] = low;
	}
	return at[1] - at[0];
}

// quarry_glr_node returns a node with room for its children, to be filled in and summed.
node *quarry_glr_node(glr *g, uint16_t symbol, uint16_t production, uint32_t count) {
	tree *room = take(g, count * sizeof(tree) + sizeof(node));
	node *n = (node *)(room + count);
	n->children = count;
	n->symbol = symbol;
	n->production = production;
	n->flags = shows(g->lang, symbol);
	return n;
}

tree quarry_glr_leaf(glr *g, const token *t, bool extra) {
	uint8_t flags = shows(g->lang, t->symbol) | (extra ? tree_extra : 0);
	if (!t->scanned && t->padding < 1 << leaf_bits && t->size < 1 << leaf_bits) {
		return leaf_tree(t->symbol, flags, t->padding, t->size);
	}
	node *n = take(g, sizeof(node));
	*n = (node){.padding = t->padding, .size = t->size, .symbol = t->symbol, .flags = flags};
	n->after = t->scanned ? t->after : NULL;
	return (tree){.node = n};
}

// add_pairs adds the pairs of two lists of the same length, the first of them last.
static uint32_t add_pairs(glr *g, uint32_t n, const tree *a, const tree *b, uint32_t count) {
	if (count > g->pair_room - n) {
		uint32_t room = 2 * (n + count) + 64;
		pair *more = take(g, room * sizeof(pair));
		if (n > 0) memcpy(more, g->pairs, n * sizeof(pair));
		g->pairs = more;
		g->pair_room = room;
	}
	while (count-- > 0) g->pairs[n++] = (pair){a[count], b[count]};
	return n;
}

// quarry_glr_compare_lists orders two lists of trees by their lengths, and by the trees'
// symbols and numbers of children, from the top and the left. The lower one is the better.
// Trees are as deep as the text is nested, so that what is left to be compared is a list.
int quarry_glr_compare_lists(glr *g, const tree *a, uint32_t na, const tree *b, uint32_t nb) {
	if (na != nb) return na < nb ? -1 : 1;
	for (uint32_t n = add_pairs(g, 0, a, b, na); n > 0 && !g->give_up;) {
		pair p = g->pairs[--n];
		if (p.a.leaf == p.b.leaf) continue;
		if (symbol_of(p.a) != symbol_of(p.b)) return symbol_of(p.a) < symbol_of(p.b) ? -1 : 1;
		na = children_of(p.a), nb = children_of(p.b);
		if (na != nb) return na < nb ? -1 : 1;
		if (na > 0) n = add_pairs(g, n, children(p.a.node), children(p.b.node), na);
		tick(g);
	}
	return 0;
}

// Nodes that are still to be looked at.
typedef struct { node **nodes; uint32_t count, room; } pending;

static void keep(glr *g, pending *p, node *n) {
	if (p->count == p->room) {
		uint32_t room = 2 * p->room + 256;
		node **nodes = take(g, room * sizeof(node *));
		if (p->count > 0) memcpy(nodes, p->nodes, p->count * sizeof(node *));
		p->nodes = nodes;
		p->room = room;
	}
	p->nodes[p->count++] = n;
}

// compress makes a list that is deep on its left side less deep, in count places.
static void compress(glr *g, node *n, uint32_t count, pending *p) {
	uint32_t first = p->count;
	uint16_t symbol = n->symbol;
	for (uint32_t i = 0; i < count && n->children >= 2; i++) {
		tree c = children(n)[0];
		if (children_of(c) < 2 || c.node->symbol != symbol) break;
		tree d = children(c.node)[0];
		if (children_of(d) < 2 || d.node->symbol != symbol) break;
		tree *last = &children(d.node)[d.node->children - 1];
		children(n)[0] = d;
		children(c.node)[0] = *last;
		*last = c;
		keep(g, p, n);
		n = d.node;
	}
	while (p->count > first) {
		n = p->nodes[--p->count];
		node *c = children(n)[0].node, *d = children(c)[c->children - 1].node;
		quarry_glr_sum(g->lang, d);
		quarry_glr_sum(g->lang, c);
		quarry_glr_sum(g->lang, n);
	}
}

// quarry_glr_balance makes lists, which reductions leave as deep as they are long, as deep
// as the logarithm of that. What is shown changes where an element of a list has fields of
// its own, so it is done as the library does it.
void quarry_glr_balance(glr *g, node *root) {
	pending p = {0};
	keep(g, &p, root);
	while (p.count > 0) {
		node *n = p.nodes[--p.count];
		if (n->repeat > 0) {
			int32_t more = repeat_of(children(n)[0]) - repeat_of(children(n)[n->children - 1]);
			for (int32_t i = more / 2; i > 0; i /= 2) compress(g, n, i, &p);
		}
		for (uint32_t i = 0; i < n->children; i++) {
			tree c = children(n)[i];
			if (children_of(c) > 0) keep(g, &p, c.node);
		}
	}
}
