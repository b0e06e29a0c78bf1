// What the Go side calls of arena.c, and the parts of tree-sitter's own interface
// that are used, with the layout that its api.h gives them. The library itself is
// linked by the binding; a second copy of its header would only drift.
#include <stdbool.h>
#include <stdint.h>

typedef struct { uint32_t context[4]; const void *id; const void *tree; } quarry_node;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } quarry_cursor;

typedef struct quarry_arena quarry_arena;

typedef struct {
	uint32_t start, end, next;
	uint16_t kind;
	uint8_t field, flags;
} quarry_flat;

void quarry_arena_install(void);
quarry_arena *quarry_arena_new(void);
void quarry_arena_delete(quarry_arena *);

bool quarry_parse(quarry_arena *, const void *language, const char *text, uint32_t length,
	uint64_t micros, quarry_node *root);
uint32_t quarry_count(const quarry_node *root);
bool quarry_broken(const quarry_node *root);
uint32_t quarry_flatten(const quarry_node *root, quarry_flat *out, uint32_t cap);
uint32_t quarry_walk(const quarry_node *root, quarry_flat *out, uint32_t cap);
uint16_t quarry_symbol(const void *language, const char *name, uint32_t length, bool named);
