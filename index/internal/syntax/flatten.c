// The tree is copied in one pass over the library's own nodes. Its cursor, which
// quarry_walk uses, keeps a position in lines and a count of descendants for each
// node, and walks up again for each field: copying so took a sixth of the time of
// parsing, and this takes a third of that. For it the layout of a few of the library's
// structures stands here, as of the version in go.mod; TestTree compares both ways with
// the binding's, node for node, on sources of all languages.
#include "arena.h"

#include <stddef.h>
#include <stdlib.h>

extern uint16_t ts_node_symbol(quarry_node);
extern uint32_t ts_node_start_byte(quarry_node);
extern uint32_t ts_node_end_byte(quarry_node);
extern bool ts_node_is_named(quarry_node);
extern bool ts_node_is_missing(quarry_node);
extern quarry_cursor ts_tree_cursor_new(quarry_node);
extern void ts_tree_cursor_delete(quarry_cursor *);
extern bool ts_tree_cursor_goto_first_child(quarry_cursor *);
extern bool ts_tree_cursor_goto_next_sibling(quarry_cursor *);
extern bool ts_tree_cursor_goto_parent(quarry_cursor *);
extern quarry_node ts_tree_cursor_current_node(const quarry_cursor *);
extern uint16_t ts_tree_cursor_current_field_id(const quarry_cursor *);

// deepest is how deep trees are copied: what is below is left out.
enum { deepest = 4096 };

// quarry_walk is quarry_flatten by the library's cursor.
uint32_t quarry_walk(const quarry_node *root, quarry_flat *out, uint32_t cap) {
	uint32_t open[deepest];
	uint32_t n = 0, level = 0;
	quarry_cursor c = ts_tree_cursor_new(*root);
	for (;;) {
		if (n == cap) break;
		quarry_node at = ts_tree_cursor_current_node(&c);
		quarry_flat *f = &out[n];
		f->start = ts_node_start_byte(at);
		f->end = ts_node_end_byte(at);
		f->kind = ts_node_symbol(at);
		uint16_t field = ts_tree_cursor_current_field_id(&c);
		f->field = field < 256 ? field : 0;
		f->flags = (ts_node_is_named(at) ? 1 : 0) | (ts_node_is_missing(at) ? 2 : 0);
		f->next = n + 1;
		n++;
		if (level < deepest && ts_tree_cursor_goto_first_child(&c)) {
			open[level++] = n - 1;
			continue;
		}
		while (!ts_tree_cursor_goto_next_sibling(&c)) {
			if (level == 0 || !ts_tree_cursor_goto_parent(&c)) goto done;
			out[open[--level]].next = n;
		}
	}
done:
	while (level > 0) out[open[--level]].next = n;
	ts_tree_cursor_delete(&c);
	return n;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && UINTPTR_MAX == UINT64_MAX

// A subtree is a pointer to what it is, or, with the lowest bit set, a small leaf.
typedef union {
	struct {
		bool is_inline : 1, visible : 1, named : 1, extra : 1, has_changes : 1, is_missing : 1, is_keyword : 1;
		uint8_t symbol;
		uint16_t parse_state;
		uint8_t padding_columns, rows_and_lookahead, padding_bytes, size_bytes;
	} leaf;
	const struct heap_subtree *heap;
} subtree;

// The children of a subtree lie before it.
struct heap_subtree {
	uint32_t ref_count;
	uint32_t padding_bytes, padding_place[2];
	uint32_t size_bytes, size_place[2];
	uint32_t lookahead_bytes, error_cost, child_count;
	uint16_t symbol, parse_state;
	bool visible : 1, named : 1, extra : 1, fragile_left : 1, fragile_right : 1, has_changes : 1,
		has_external_tokens : 1, has_external_scanner_state_change : 1;
	bool depends_on_column : 1, is_missing : 1, is_keyword : 1;
	union {
		struct {
			uint32_t visible_child_count, named_child_count, visible_descendant_count;
			int32_t dynamic_precedence;
			uint16_t repeat_depth, production_id;
		};
		void *aligned;
	};
};

typedef struct { uint16_t field; uint8_t child; bool inherited; } field_entry;
typedef struct { uint16_t index, length; } field_slice;
typedef struct { bool visible, named, supertype; } symbol_metadata;

typedef struct {
	uint32_t version, symbol_count, alias_count, token_count, external_token_count, state_count,
		large_state_count, production_id_count, field_count;
	uint16_t max_alias_sequence_length;
	const uint16_t *parse_table, *small_parse_table;
	const uint32_t *small_parse_table_map;
	const void *parse_actions;
	const char *const *symbol_names, *const *field_names;
	const field_slice *field_slices;
	const field_entry *field_entries;
	const symbol_metadata *metadata;
	const uint16_t *public_symbols, *alias_map, *alias_sequences;
} language;

typedef struct { subtree root; const language *language; } tree;

static inline bool is_visible(subtree s) { return s.leaf.is_inline ? s.leaf.visible : s.heap->visible; }
static inline bool is_extra(subtree s) { return s.leaf.is_inline ? s.leaf.extra : s.heap->extra; }
static inline uint32_t size_of(subtree s) { return s.leaf.is_inline ? s.leaf.size_bytes : s.heap->size_bytes; }
static inline uint32_t padding_of(subtree s) { return s.leaf.is_inline ? s.leaf.padding_bytes : s.heap->padding_bytes; }
static inline uint32_t children_of(subtree s) { return s.leaf.is_inline ? 0 : s.heap->child_count; }

// A level is a subtree whose children are being looked at.
typedef struct {
	const subtree *child, *end; // those that are left
	uint32_t at;                // where the text of the next one begins, its padding included
	uint32_t place;             // of the next one among those that are no extras
	uint32_t out;               // of the node, visible levels only
	uint16_t field;             // of a hidden level: what its children inherit
	bool visible, first;
	const uint16_t *aliases;    // by place; NULL: none
	const field_entry *fields, *fields_end;
} level;

static inline void enter(level *l, const language *lang, subtree s, uint32_t start, uint32_t out, uint16_t field, bool visible) {
	const struct heap_subtree *h = s.heap;
	l->end = (const subtree *)h;
	l->child = l->end - h->child_count;
	l->at = start;
	l->place = 0;
	l->out = out;
	l->field = field;
	l->visible = visible;
	l->first = true;
	uint16_t p = h->production_id;
	l->aliases = p ? &lang->alias_sequences[p * lang->max_alias_sequence_length] : NULL;
	l->fields = l->fields_end = NULL;
	if (lang->field_count > 0) {
		field_slice slice = lang->field_slices[p];
		l->fields = &lang->field_entries[slice.index];
		l->fields_end = l->fields + slice.length;
	}
}

static inline void put(quarry_flat *f, const language *lang, subtree s, uint16_t alias, uint32_t start, uint16_t field, uint32_t n) {
	enum { error = 65535 };
	uint16_t symbol = s.leaf.is_inline ? s.leaf.symbol : s.heap->symbol;
	bool named = s.leaf.is_inline ? s.leaf.named : s.heap->named;
	bool missing = s.leaf.is_inline ? s.leaf.is_missing : s.heap->is_missing;
	if (alias) {
		symbol = alias;
		named = lang->metadata[alias].named;
	}
	f->start = start;
	f->end = start + size_of(s);
	f->next = n + 1;
	f->kind = symbol == error ? symbol : lang->public_symbols[symbol];
	f->field = field < 256 ? field : 0;
	f->flags = (named ? 1 : 0) | (missing ? 2 : 0);
}

// quarry_flatten writes the tree below root, which is the root of a tree, in pre-order,
// at most cap nodes, and returns how many. out[i].next is the index just past i's subtree.
uint32_t quarry_flatten(const quarry_node *root, quarry_flat *out, uint32_t cap) {
	const tree *t = root->tree;
	const language *lang = t->language;
	uint32_t n = 0, depth = 0, room = 256, visible = 0;
	if (cap == 0) return 0;
	subtree s = *(const subtree *)root->id;
	put(&out[n++], lang, s, 0, root->context[0], 0, 0);
	if (children_of(s) == 0) return n;
	level *levels = malloc(room * sizeof(level));
	if (!levels) return quarry_walk(root, out, cap);
	enter(&levels[depth++], lang, s, root->context[0], 0, 0, true);
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
		s = *l->child++;
		// The padding before the first child is that of the parent, which has begun after it.
		uint32_t start = l->first ? l->at : l->at + padding_of(s);
		l->first = false;
		l->at = start + size_of(s);
		uint16_t alias = 0, field = 0;
		if (!is_extra(s)) {
			if (l->aliases) alias = l->aliases[l->place];
			for (const field_entry *e = l->fields; e < l->fields_end; e++) {
				if (!e->inherited && e->child == l->place) {
					field = e->field;
					break;
				}
			}
			if (!field && !l->visible) field = l->field;
			l->place++;
		}
		bool shown = is_visible(s) || alias;
		if (shown) put(&out[n], lang, s, alias, start, field, n);
		if (children_of(s) > 0 && (shown ? visible < deepest : s.heap->visible_child_count > 0)) {
			if (depth == room) {
				level *more = realloc(levels, 2 * room * sizeof(level));
				if (!more) {
					free(levels);
					return quarry_walk(root, out, cap);
				}
				levels = more;
				room *= 2;
			}
			enter(&levels[depth++], lang, s, start, n, field, shown);
			if (shown) visible++;
		}
		if (shown) n++;
	}
	for (; depth > 0; depth--) {
		if (levels[depth - 1].visible) out[levels[depth - 1].out].next = n;
	}
	free(levels);
	return n;
}

#else

uint32_t quarry_flatten(const quarry_node *root, quarry_flat *out, uint32_t cap) { return quarry_walk(root, out, cap); }

#endif
