// What the Go side calls, and the parts of tree-sitter's own interface that are used, with
// the layout that its api.h gives them. The library itself is linked by the binding; a
// second copy of its header would only drift.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct { uint32_t context[4]; const void *id; const void *tree; } quarry_node;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } quarry_cursor;

typedef struct {
	uint32_t start, end, next;
	uint16_t kind;
	uint8_t field, flags;
} quarry_flat;

// quarry_deepest is how deep trees are copied: what is below is left out.
enum { quarry_deepest = 4096 };

// An arena is the memory of one text at a time (arena.c).
typedef struct quarry_arena quarry_arena;
quarry_arena *quarry_arena_new(void);
void quarry_arena_delete(quarry_arena *);
void quarry_arena_clear(quarry_arena *);
void *quarry_arena_take(quarry_arena *, size_t);
size_t quarry_arena_size(const quarry_arena *);

// Room for 1 << quarry_cell_bits cells of a language's tables, which stays as it is as
// long as all texts are of that language.
enum { quarry_cell_bits = 13 };
uint64_t *quarry_arena_cells(quarry_arena *, const void *language);

// The parser by tables (glr.c).
const void *quarry_glr(quarry_arena *, const void *language, const char *text, uint32_t length,
	uint64_t micros, bool *late);
bool quarry_glr_broken(const void *);
uint32_t quarry_glr_count(const void *);
uint32_t quarry_glr_flatten(const void *, quarry_flat *out, uint32_t cap);

// The library's own trees (walk.c).
uint32_t quarry_count(const quarry_node *root);
uint32_t quarry_walk(const quarry_node *root, quarry_flat *out, uint32_t cap);
uint16_t quarry_symbol(const void *language, const char *name, uint32_t length, bool named);
