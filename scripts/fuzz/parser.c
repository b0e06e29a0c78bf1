// A target of libFuzzer: the parser of index/internal/syntax/glr, in C, over the grammar
// GRAMMAR, which is called NAME. What it reads is any text; what must hold is that it
// touches no memory but its own, does nothing undefined, comes to an end, and that the tree
// it makes is one of the text. parser.sh builds and runs it for all languages.
#include "../../index/internal/syntax/glr/quarry.h"

#include <stdio.h>
#include <stdlib.h>

extern const void *GRAMMAR(void);

enum { micros = 100000 }; // for one text

// Where a scanner writes more than it may, it is the grammar that is to blame, and
// scanner.c lacks a guard. parser.sh knows this name.
__attribute__((noinline)) static void grammar_wrote_too_much(void) { abort(); }

static void must(bool holds, const char *what, uint32_t node) {
	if (holds) return;
	fprintf(stderr, "node %u: %s\n", node, what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *text, size_t length) {
	static const void *language;
	static quarry_arena *arena;
	if (!arena) {
		language = quarry_guarded(NAME, GRAMMAR());
		arena = quarry_arena_new();
	}
	if (length == 0) return 0;
	quarry_reason why;
	const void *tree = quarry_glr(arena, language, (const char *)text, length, micros, &why);
	if (!tree) {
		if (why == quarry_refused) grammar_wrote_too_much();
		return 0;
	}
	uint32_t count = quarry_glr_count(tree);
	quarry_flat *nodes = malloc(count * sizeof(quarry_flat));
	uint32_t made = quarry_glr_flatten(tree, nodes, count);
	must(made > 0 && made <= count, "is the number of nodes", made);
	must(nodes[0].next == made, "is not the end of the root", nodes[0].next);
	for (uint32_t i = 0; i < made; i++) {
		must(nodes[i].start <= nodes[i].end && nodes[i].end <= length, "is not in the text", i);
		must(nodes[i].next > i && nodes[i].next <= made, "ends before it begins, or not at all", i);
	}
	free(nodes);
	return 0;
}
