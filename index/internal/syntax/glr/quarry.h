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

// Under a sanitizer each piece of an arena's memory is from malloc, so that it sees where
// one ends.
#if defined(__SANITIZE_ADDRESS__)
enum { quarry_apart = true };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
enum { quarry_apart = true };
#else
enum { quarry_apart = false };
#endif
#else
enum { quarry_apart = false };
#endif

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

// What a scanner may remember after a token, in bytes: parser.h says so to those that
// write one (TREE_SITTER_SERIALIZATION_BUFFER_SIZE).
enum { quarry_most_state = 1024 };

// A language whose scanner keeps to that (scanner.c).
const void *quarry_guarded(const char *name, const void *language);

// A language with its tables, where they are kept apart (tables.c).
enum { quarry_tables = 6 };
uint64_t quarry_key(const void *language);
void *quarry_room(size_t);
const void *quarry_completed(const void *language, const void *tables, const uint32_t sizes[quarry_tables]);

// The versions of a grammar's tables that are known.
enum { quarry_oldest = 13, quarry_newest = 14 };

// quarry_longest is how many bytes a text may have: with some room to 32 bits, since what
// a place costs is more than its number.
enum { quarry_longest = 1 << 30 };

// Why there is no tree.
typedef enum {
	quarry_declined, // only the library can tell
	quarry_late,     // it took longer than it may
	quarry_refused,  // the scanner has written more than it may
} quarry_reason;

// The parser by tables (glr.c).
const void *quarry_glr(quarry_arena *, const void *language, const char *text, uint32_t length,
	uint64_t micros, quarry_reason *);
bool quarry_glr_broken(const void *);
uint32_t quarry_glr_count(const void *);
uint32_t quarry_glr_flatten(const void *, quarry_flat *out, uint32_t cap);

// The library's own trees (walk.c).
uint32_t quarry_count(const quarry_node *root);
uint32_t quarry_walk(const quarry_node *root, quarry_flat *out, uint32_t cap);
uint16_t quarry_symbol(const void *language, const char *name, uint32_t length, bool named);
