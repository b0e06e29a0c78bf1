// A tree lives as long as it takes to copy it, and a parser could be made anew for
// each text, if it were not for malloc: a seventh of the time of parsing Go went
// into giving out and taking back hundreds of thousands of small pieces. Here they
// come from an arena that belongs to one Go parser, and all go back at once, when
// the next text is parsed: neither the tree nor the parser is deleted.
//
// tree-sitter asks for memory by pointers to functions that hold for the whole
// process. Those of this file take from the arena that the thread has entered, and
// from malloc where it has entered none (queries, the binding's own parsers). What
// was made in an arena is only used between entering and leaving it, on one thread
// at a time, so a pointer is given back where it came from.
#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
extern void *ts_parser_new(void);
extern bool ts_parser_set_language(void *, const void *);
extern void ts_parser_set_timeout_micros(void *, uint64_t);
extern void *ts_parser_parse_string(void *, const void *, const char *, uint32_t);
extern void ts_parser_reset(void *);
extern quarry_node ts_tree_root_node(const void *);
extern bool ts_node_has_error(quarry_node);
extern uint32_t ts_node_descendant_count(quarry_node);
extern uint16_t ts_language_symbol_for_name(const void *, const char *, uint32_t, bool);

enum {
	classes = 64,          // of pieces that are used again, by size in words of 8 bytes
	first = 256 << 10,     // bytes of the first block; each new one is twice as large
	most = 16 << 20,       // bytes of a block at most, but for larger pieces
	keep = 4 << 20,        // bytes of the block that is kept between texts at most
};

// A piece is 8 bytes with its size, in bytes, and then what was asked for. The size
// is a multiple of 8: the library tells subtrees from pointers by the lowest bit.
typedef struct block {
	struct block *older;
	size_t size; // of all of it
	size_t used;
} block;

struct quarry_arena {
	block *blocks;         // the newest first
	void *free[classes];   // pieces that were given back, linked by their first word
};

static _Thread_local quarry_arena *entered;

static void out_of_memory(size_t size) {
	fprintf(stderr, "quarry: no memory for %zu bytes of a syntax tree\n", size);
	abort();
}

static size_t *sized(void *p) { return (size_t *)p - 1; }

static void *arena_take(quarry_arena *a, size_t size) {
	size = size ? (size + 7) & ~(size_t)7 : 8;
	if (size / 8 < classes && a->free[size / 8]) {
		void *p = a->free[size / 8];
		a->free[size / 8] = *(void **)p;
		return p;
	}
	size_t need = size + sizeof(size_t);
	block *b = a->blocks;
	if (!b || b->size - b->used < need) {
		size_t next = b ? b->size * 2 : first;
		if (next > most) next = most;
		if (next < need + sizeof(block)) next = need + sizeof(block);
		b = malloc(next);
		if (!b) out_of_memory(next);
		*b = (block){a->blocks, next, sizeof(block)};
		a->blocks = b;
	}
	size_t *head = (size_t *)((char *)b + b->used);
	b->used += need;
	*head = size;
	return head + 1;
}

// arena_give takes a piece back: the last one as if it had never been, a small one
// for the next of its size; others wait for the end of the text.
static void arena_give(quarry_arena *a, void *p) {
	size_t size = *sized(p);
	block *b = a->blocks;
	if ((char *)p + size == (char *)b + b->used) {
		b->used -= size + sizeof(size_t);
	} else if (size / 8 < classes) {
		*(void **)p = a->free[size / 8];
		a->free[size / 8] = p;
	}
}

static void *take(size_t size) {
	if (entered) return arena_take(entered, size);
	void *p = malloc(size);
	if (size > 0 && !p) out_of_memory(size);
	return p;
}

static void *take_zeroed(size_t count, size_t size) {
	if (entered) {
		if (size && count > SIZE_MAX / size) out_of_memory(SIZE_MAX);
		void *p = arena_take(entered, count * size);
		memset(p, 0, count * size);
		return p;
	}
	void *p = calloc(count, size);
	if (count > 0 && size > 0 && !p) out_of_memory(size);
	return p;
}

static void *resize(void *p, size_t size) {
	quarry_arena *a = entered;
	if (!a) {
		void *q = realloc(p, size);
		if (size > 0 && !q) out_of_memory(size);
		return q;
	}
	if (!p) return arena_take(a, size);
	size_t old = *sized(p), want = size ? (size + 7) & ~(size_t)7 : 8;
	if (want <= old) return p;
	block *b = a->blocks;
	if ((char *)p + old == (char *)b + b->used && b->size - b->used >= want - old) {
		b->used += want - old;
		*sized(p) = want;
		return p;
	}
	void *q = arena_take(a, want);
	memcpy(q, p, old);
	arena_give(a, p);
	return q;
}

static void give(void *p) {
	if (!p) return;
	if (entered) arena_give(entered, p);
	else free(p);
}

// clear_arena lets go of all pieces. The newest block, the largest, is kept for the
// next text, unless it is so large that it would be a burden.
static void clear_arena(quarry_arena *a, size_t most_kept) {
	block *b = a->blocks;
	block *kept = NULL;
	while (b) {
		block *older = b->older;
		if (!kept && b->size <= most_kept) kept = b;
		else free(b);
		b = older;
	}
	if (kept) {
		kept->older = NULL;
		kept->used = sizeof(block);
	}
	*a = (quarry_arena){.blocks = kept};
}

void quarry_arena_install(void) { ts_set_allocator(take, take_zeroed, resize, give); }

quarry_arena *quarry_arena_new(void) {
	quarry_arena *a = calloc(1, sizeof(quarry_arena));
	if (!a) out_of_memory(sizeof(quarry_arena));
	return a;
}

void quarry_arena_delete(quarry_arena *a) {
	clear_arena(a, 0);
	free(a);
}

// quarry_parse parses a text in place of the last one. It returns false where the
// parser gave up. The tree of root is good until the next call with the same arena.
bool quarry_parse(quarry_arena *a, const void *language, const char *text, uint32_t length,
	uint64_t micros, quarry_node *root) {
	clear_arena(a, keep);
	entered = a;
	void *parser = ts_parser_new(), *tree = NULL;
	ts_parser_set_timeout_micros(parser, micros);
	if (ts_parser_set_language(parser, language)) tree = ts_parser_parse_string(parser, NULL, text, length);
	// What scanners have made is not in the arena; where the parser gave up, it is
	// still there.
	if (tree) *root = ts_tree_root_node(tree);
	else ts_parser_reset(parser);
	entered = NULL;
	return tree != NULL;
}

uint32_t quarry_count(const quarry_node *root) { return ts_node_descendant_count(*root); }

bool quarry_broken(const quarry_node *root) { return ts_node_has_error(*root); }

// quarry_symbol returns the number that trees show for a name, or 0.
uint16_t quarry_symbol(const void *language, const char *name, uint32_t length, bool named) {
	return ts_language_symbol_for_name(language, name, length, named);
}
