// The copy of a tree of the library's, by its own cursor.
#include "quarry.h"

extern uint16_t ts_node_symbol(quarry_node);
extern uint32_t ts_node_start_byte(quarry_node);
extern uint32_t ts_node_end_byte(quarry_node);
extern uint32_t ts_node_descendant_count(quarry_node);
extern bool ts_node_is_named(quarry_node);
extern bool ts_node_is_missing(quarry_node);
extern quarry_cursor ts_tree_cursor_new(quarry_node);
extern void ts_tree_cursor_delete(quarry_cursor *);
extern bool ts_tree_cursor_goto_first_child(quarry_cursor *);
extern bool ts_tree_cursor_goto_next_sibling(quarry_cursor *);
extern bool ts_tree_cursor_goto_parent(quarry_cursor *);
extern quarry_node ts_tree_cursor_current_node(const quarry_cursor *);
extern uint16_t ts_tree_cursor_current_field_id(const quarry_cursor *);
extern uint16_t ts_language_symbol_for_name(const void *, const char *, uint32_t, bool);

uint32_t quarry_count(const quarry_node *root) { return ts_node_descendant_count(*root); }

// quarry_walk writes the tree below root, which is the root of a tree, in pre-order, at
// most cap nodes, and returns how many. out[i].next is the index just past i's subtree.
uint32_t quarry_walk(const quarry_node *root, quarry_flat *out, uint32_t cap) {
	uint32_t open[quarry_deepest];
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
		if (level < quarry_deepest && ts_tree_cursor_goto_first_child(&c)) {
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

// quarry_symbol returns the number that trees show for a name, or 0.
uint16_t quarry_symbol(const void *language, const char *name, uint32_t length, bool named) {
	return ts_language_symbol_for_name(language, name, length, named);
}
