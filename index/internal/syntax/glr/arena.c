// The memory of a text that is being parsed: pieces that are given out one after the
// other, and all go back at once, when its tree has been copied.
#include "quarry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	first = 256 << 10, // bytes of the first block; each new one is twice as large
	most = 16 << 20,   // bytes of a block at most, but for larger pieces
	keep = 4 << 20,    // bytes of the block that is kept between texts at most
};

typedef struct block {
	struct block *older;
	size_t size; // of all of it
	size_t used;
} block;

struct quarry_arena {
	block *blocks; // the newest first
	size_t size;   // of all of them
	uint64_t *cells;
	const void *cells_of;
};

static void *must(void *p, size_t size) {
	if (p) return p;
	fprintf(stderr, "quarry: no memory for %zu bytes of a syntax tree\n", size);
	abort();
}

quarry_arena *quarry_arena_new(void) { return must(calloc(1, sizeof(quarry_arena)), sizeof(quarry_arena)); }

void *quarry_arena_take(quarry_arena *a, size_t size) {
	size = (size + 7) & ~(size_t)7;
	block *b = a->blocks;
	if (quarry_apart || !b || b->size - b->used < size) {
		size_t next = b ? b->size * 2 : first;
		if (next > most) next = most;
		if (quarry_apart || next < size + sizeof(block)) next = size + sizeof(block);
		b = must(malloc(next), next);
		*b = (block){a->blocks, next, sizeof(block)};
		a->blocks = b;
		a->size += next;
	}
	void *p = (char *)b + b->used;
	b->used += size;
	return p;
}

static void clear(quarry_arena *a, size_t most_kept) {
	block *kept = NULL;
	for (block *b = a->blocks, *older; b; b = older) {
		older = b->older;
		if (!kept && b->size <= most_kept) kept = b;
		else free(b);
	}
	if (kept) *kept = (block){NULL, kept->size, sizeof(block)};
	a->blocks = kept;
	a->size = kept ? kept->size : 0;
}

size_t quarry_arena_size(const quarry_arena *a) { return a->size; }

// quarry_arena_clear lets go of all pieces. The newest block, the largest, is kept for the
// next text, unless it is so large that it would be a burden.
void quarry_arena_clear(quarry_arena *a) { clear(a, quarry_apart ? 0 : keep); }

void quarry_arena_delete(quarry_arena *a) {
	clear(a, 0);
	free(a->cells);
	free(a);
}

uint64_t *quarry_arena_cells(quarry_arena *a, const void *language) {
	size_t size = sizeof(uint64_t) << quarry_cell_bits;
	if (!a->cells) a->cells = must(malloc(size), size);
	else if (a->cells_of == language) return a->cells;
	memset(a->cells, 0, size);
	a->cells_of = language;
	return a->cells;
}
