// The copy of a tree of glr.c, as walk.c makes it of the library's: hidden nodes are left
// out, names and fields are those that the productions give.
#include "glr.h"

#include <stdlib.h>

// A level is a tree whose children are being looked at.
typedef struct {
	const tree *child, *end; // those that are left
	uint32_t at;             // where the text of the next one begins, its padding included
	uint32_t place;          // of the next one among those that are no extras
	uint32_t out;            // of the node, visible levels only
	uint16_t production;
	uint16_t field;          // of a hidden level: what its children inherit
	bool visible, first;
	const uint16_t *aliases;
} level;

static inline void enter(level *l, const language *lang, tree t, uint32_t start, uint32_t out, uint16_t field, bool visible) {
	node *n = t.node;
	tree *c = children(n);
	*l = (level){c, c + n->children, start, 0, out, n->production, field, visible, true, aliases_of(lang, n->production)};
}

static inline void put(quarry_flat *f, const language *lang, tree t, uint16_t alias, uint32_t start, uint16_t field, uint32_t n) {
	uint16_t symbol = alias ? alias : symbol_of(t);
	bool named = alias ? lang->metadata[alias].named : flags_of(t) & tree_named;
	*f = (quarry_flat){
		start, start + size_of(t), n + 1,
		symbol == symbol_error ? symbol : lang->public_symbols[symbol],
		field < 256 ? field : 0,
		(named ? 1 : 0) | (flags_of(t) & tree_missing ? 2 : 0),
	};
}

uint32_t quarry_glr_count(const void *of) { return ((const glr *)of)->finished.node->below + 1; }

// quarry_glr_flatten writes the tree in pre-order, at most cap nodes, lets go of it, and
// returns how many: 0 where there is no memory. out[i].next is the index just past i's subtree.
uint32_t quarry_glr_flatten(const void *of, quarry_flat *out, uint32_t cap) {
	const glr *g = of;
	quarry_arena *arena = g->arena;
	const language *lang = g->lang;
	uint32_t n = 0, depth = 0, room = 256, visible = 0;
	if (cap == 0) return 0;
	level *levels = malloc(room * sizeof(level));
	if (!levels) return 0;
	tree t = g->finished;
	put(&out[n++], lang, t, 0, padding_of(t), 0, 0);
	enter(&levels[depth++], lang, t, padding_of(t), 0, 0, true);
	visible++;
	while (depth > 0 && n < cap) {
		level *l = &levels[depth - 1];
		if (l->child == l->end) {
			if (l->visible) {
				out[l->out].next = n;
				visible--;
			}
			depth--;
			continue;
		}
		t = *l->child++;
		// The padding before the first child is that of the parent, which has begun after it.
		uint32_t start = l->first ? l->at : l->at + padding_of(t);
		l->first = false;
		l->at = start + size_of(t);
		uint16_t alias = 0, field = 0;
		if (!(flags_of(t) & tree_extra)) {
			if (l->aliases) alias = l->aliases[l->place];
			field = field_of(lang, l->production, l->place);
			if (!field && !l->visible) field = l->field;
			l->place++;
		}
		bool shown = (flags_of(t) & tree_visible) || alias;
		if (shown) put(&out[n], lang, t, alias, start, field, n);
		if (children_of(t) > 0 && (shown ? visible < quarry_deepest : t.node->shown > 0)) {
			if (depth == room) {
				level *more = realloc(levels, 2 * room * sizeof(level));
				if (!more) {
					free(levels);
					return 0;
				}
				levels = more;
				room *= 2;
			}
			enter(&levels[depth++], lang, t, start, n, field, shown);
			if (shown) visible++;
		}
		if (shown) n++;
	}
	for (; depth > 0; depth--) {
		if (levels[depth - 1].visible) out[levels[depth - 1].out].next = n;
	}
	free(levels);
	quarry_arena_clear(arena);
	return n;
}
