// What the files of the parser share: the parts of a generated parser that they read, with the
// layout that tree-sitter's parser.h gives them in versions 13 and 14, then trees, tokens
// and the stack. See glr.c.
#include "quarry.h"

#include <stddef.h>

typedef struct { uint16_t field; uint8_t child; bool inherited; } field_entry;
typedef struct { uint16_t index, length; } field_slice;
typedef struct { bool visible, named, supertype; } symbol_metadata;
typedef struct { uint16_t lex_state, external_lex_state; } lex_mode;

typedef union {
	struct { uint8_t type; uint16_t state; bool extra, repetition; } shift;
	struct { uint8_t type, children; uint16_t symbol; int16_t precedence; uint16_t production; } reduce;
	struct { uint8_t count; bool reusable; } entry; // stands before the actions of one cell
	uint8_t type;
} parse_action;

enum { action_shift, action_reduce, action_accept, action_recover };

typedef struct lexer lexer;
struct lexer {
	int32_t lookahead;
	uint16_t symbol;
	void (*advance)(lexer *, bool skip);
	void (*mark_end)(lexer *);
	uint32_t (*get_column)(lexer *);
	bool (*is_at_included_range_start)(const lexer *);
	bool (*eof)(const lexer *);
};

typedef struct {
	uint32_t version, symbol_count, alias_count, token_count, external_token_count, state_count,
		large_state_count, production_id_count, field_count;
	uint16_t max_alias_sequence_length;
	const uint16_t *parse_table, *small_parse_table;
	const uint32_t *small_parse_table_map;
	const parse_action *parse_actions;
	const char *const *symbol_names, *const *field_names;
	const field_slice *field_slices;
	const field_entry *field_entries;
	const symbol_metadata *metadata;
	const uint16_t *public_symbols, *alias_map, *alias_sequences;
	const lex_mode *lex_modes;
	bool (*lex)(lexer *, uint16_t state);
	bool (*lex_keyword)(lexer *, uint16_t state);
	uint16_t keyword_capture;
	struct {
		const bool *states;
		const uint16_t *symbols;
		void *(*create)(void);
		void (*destroy)(void *);
		bool (*scan)(void *, lexer *, const bool *valid);
		unsigned (*serialize)(void *, char *);
		void (*deserialize)(void *, const char *, unsigned);
	} scanner;
	const uint16_t *primary_states; // not in tables of quarry_oldest
} language;

enum {
	symbol_end = 0,
	symbol_error = 65535,  // what could not be read
	symbol_skipped = 65534, // a list of that, while it is made
	state_error = 0,
	no_lookahead = 65535,  // a state of the lexer
};

// Costs of errors: of two readings, the one with the lower cost is the better.
enum {
	cost_of_recovery = 500,
	cost_of_missing = 110,
	cost_of_tree = 100, // that was skipped; as above
	cost_of_line = 30,
	cost_of_byte = 1,
};

// aliases_of returns the names by which the children of a production are shown, one for
// each child that is no extra, or NULL.
static inline const uint16_t *aliases_of(const language *lang, uint16_t production) {
	return production ? &lang->alias_sequences[production * lang->max_alias_sequence_length] : NULL;
}

// field_of returns the field of the child at a place, counted without extras, or 0.
static inline uint16_t field_of(const language *lang, uint16_t production, uint32_t place) {
	if (lang->field_count == 0) return 0;
	field_slice s = lang->field_slices[production];
	for (const field_entry *e = &lang->field_entries[s.index], *end = e + s.length; e < end; e++) {
		if (!e->inherited && e->child == place) return e->field;
	}
	return 0;
}

// What a scanner remembers after a token of its own. NULL is nothing.
typedef struct { uint32_t length; char bytes[]; } scan_state;

static inline bool same_state(const scan_state *a, const scan_state *b) {
	uint32_t n = a ? a->length : 0;
	if (a == b) return true;
	if (n != (b ? b->length : 0)) return false;
	for (uint32_t i = 0; i < n; i++) {
		if (a->bytes[i] != b->bytes[i]) return false;
	}
	return true;
}

// A token of the text. Positions are bytes; its padding is what stands before it.
typedef struct {
	uint32_t padding, size;
	uint16_t symbol, state; // the state of the parser that asked for it
	bool keyword;           // the lexer of keywords knows its beginning
	bool scanned;           // by the scanner; then after is what that remembers
	bool changed;           // which is not what it remembered before
	const scan_state *after;
} token;

typedef struct node node;

// A tree is a pointer to a node, or, with the lowest bit set, a leaf: 4 bits of what
// holds for it, 16 of the symbol, 20 of the padding, 20 of the size.
typedef union { uint64_t leaf; node *node; } tree;

enum { tree_visible = 1, tree_named = 2, tree_extra = 4, tree_missing = 8 };

// The children of a node stand before it.
struct node {
	uint32_t padding, size;
	uint32_t children;
	uint32_t cost;
	int32_t precedence;
	uint16_t symbol, production, repeat;
	uint8_t flags;
	union {
		struct {
			uint32_t shown; // visible ones of the children, and of those of hidden ones
			uint32_t below; // visible ones of all levels
		};
		const scan_state *after; // of a leaf
	};
};

enum { leaf_bits = 20 };

static inline tree leaf_tree(uint16_t symbol, uint8_t flags, uint32_t padding, uint32_t size) {
	return (tree){.leaf = 1 | (uint64_t)flags << 1 | (uint64_t)symbol << 8 | (uint64_t)padding << 24 |
		(uint64_t)size << (24 + leaf_bits)};
}
static inline bool is_leaf(tree t) { return t.leaf & 1; }
static inline uint8_t flags_of(tree t) { return is_leaf(t) ? t.leaf >> 1 & 15 : t.node->flags; }
static inline uint16_t symbol_of(tree t) { return is_leaf(t) ? t.leaf >> 8 & 0xFFFF : t.node->symbol; }
static inline uint32_t padding_of(tree t) {
	return is_leaf(t) ? t.leaf >> 24 & ((1 << leaf_bits) - 1) : t.node->padding;
}
static inline uint32_t size_of(tree t) { return is_leaf(t) ? t.leaf >> (24 + leaf_bits) : t.node->size; }
static inline uint32_t children_of(tree t) { return is_leaf(t) ? 0 : t.node->children; }
static inline tree *children(node *n) { return (tree *)n - n->children; }
static inline uint32_t cost_of(tree t) {
	return flags_of(t) & tree_missing ? cost_of_missing + cost_of_recovery : is_leaf(t) ? 0 : t.node->cost;
}
static inline int32_t repeat_of(tree t) { return children_of(t) ? t.node->repeat : 0; }
static inline int32_t precedence_of(tree t) { return children_of(t) ? t.node->precedence : 0; }

// A point of the stack: a state, and the trees that lead to it, each from another point.
// Where there is more than one, the text before is ambiguous. A link without a tree is
// where something is wrong.
typedef struct point point;
typedef struct { point *from; tree tree; } link;
struct point {
	uint32_t refs;
	uint32_t at; // bytes of the text
	uint32_t cost, nodes; // of errors; visible ones, to see progress
	int32_t precedence;
	uint16_t state;
	uint16_t links;
	link first;
	link *more; // the others; there is room for most_links - 1, once there is any
};

enum {
	most_links = 8,
	most_paths = 64,
	most_versions = 6,  // between two rounds
	most_depth = 16,    // of a summary
	most_new = 10,      // the last index of those that reductions make in a round
	room_versions = most_new + most_paths + 2,
};

// A summary is the states below the top of a stack when an error was found, by depth.
typedef struct { uint32_t at, depth; uint16_t state; } summary_entry;
typedef struct { uint32_t count, room; summary_entry *entries; } summary;

// A version is one way to read the text so far.
typedef struct {
	point *top;
	const scan_state *after; // of the last token of the scanner
	enum { active, paused, halted } status;
	uint32_t nodes_at_error; // of the top, when the last error was found
	summary *summary;        // NULL: none
	token token;             // at which it was paused
} version;

// A path is a way back on the stack: the trees on it, the last first.
typedef struct {
	point *at;
	tree *trees;
	uint32_t count, room, solid; // solid: those that are no extras
} path;

// Two trees to be compared; a link to be added to a point.
typedef struct { tree a, b; } pair;
typedef struct { point *to; link link; } addition;

// A slice is a path that has come to its end, and the version that begins there.
typedef struct { path path; uint32_t version; } slice;

// A place in the text with its column: the characters since its line has begun.
typedef struct { uint32_t at, column; } place;

enum {
	column_step = 1024, // bytes
	state_slack = 8,    // words behind a scanner's state, in which it should not write
};

typedef struct {
	lexer lexer; // the first: the functions of the grammar get a pointer to it
	const language *lang;
	quarry_arena *arena;
	const uint8_t *text;
	uint32_t length;

	uint32_t at, width;        // of the lexer, and the bytes of its lookahead
	uint32_t start, end;       // of its token
	uint32_t check_at;         // where the lexer looks at the clock, or the text ends
	bool give_up;              // something happened that only the library can go on from
	bool refused;              // nor should the library: a scanner has written too much
	void *scanner;
	struct { _Alignas(8) char bytes[quarry_most_state]; uint64_t slack[state_slack]; } state; // as it is written

	place column;              // the one that was asked for last
	place *columns;            // the first at or after each multiple of column_step
	uint32_t column_count;

	token cached;
	uint32_t cached_at;
	const scan_state *cached_after;
	bool has_cached;

	char *free, *free_end;     // of the piece of the arena in use
	point *unused;             // linked by first.from
	version versions[room_versions];
	uint32_t count;            // of versions
	path paths[most_paths];
	slice *slice;              // the paths that the last pop has found
	uint32_t slices, slice_room;
	pair *pairs;               // those that quarry_glr_compare_lists still has to look at
	uint32_t pair_room;
	addition *additions;       // those of links that are still to be done
	uint32_t addition_room;
	tree finished;             // 0: none
	uint32_t accepted;         // how often
	size_t most;               // bytes of the arena, beyond which it gives up
	uint32_t steps;
	int64_t until;             // nanoseconds of the clock, 0: no limit
	bool late;                 // it is later
	uint32_t *lines, line_count; // where lines end; made at the first error
	uint16_t *row;             // room for a row of the table

	uint64_t *looked;          // cells of small states, by a hash of state and symbol: both, and the value
} glr;

void *quarry_glr_more(glr *, size_t);
void quarry_glr_look_at_clock(glr *);

enum { steps_to_clock = 2048 };

// tick counts a step, and gives up where time is over.
static inline void tick(glr *g) {
	if (++g->steps % steps_to_clock == 0 && g->until) quarry_glr_look_at_clock(g);
}

// take returns memory that lasts until the next text.
static inline void *take(glr *g, size_t size) {
	size = (size + 7) & ~(size_t)7;
	if (quarry_apart || (size_t)(g->free_end - g->free) < size) return quarry_glr_more(g, size);
	void *p = g->free;
	g->free += size;
	return p;
}

// cell returns what the table has for a state and a symbol: of a token the place of its
// actions, of another symbol the state that follows; 0: nothing. Small states are lists,
// which are long to look through: what was found is kept by a hash of the two.
static inline uint32_t cell(glr *g, uint16_t state, uint16_t symbol) {
	const language *lang = g->lang;
	if (state < lang->large_state_count) return lang->parse_table[state * lang->symbol_count + symbol];
	uint64_t key = 1ull << 48 | (uint64_t)state << 32 | (uint64_t)symbol << 16;
	uint64_t *kept = &g->looked[((uint32_t)state << 16 | symbol) * 2654435769u >> (32 - quarry_cell_bits)];
	if ((*kept ^ key) >> 16 == 0) return *kept & 0xFFFF;
	const uint16_t *p = &lang->small_parse_table[lang->small_parse_table_map[state - lang->large_state_count]];
	uint32_t found = 0;
	for (uint16_t groups = *p++; groups > 0 && !found; groups--) {
		uint16_t value = *p++;
		for (uint16_t n = *p++; n > 0; n--) {
			if (*p++ == symbol) {
				found = value;
				break;
			}
		}
	}
	*kept = key | found;
	return found;
}

static const parse_action no_action = {.entry = {0, false}};

// actions returns a cell of the table for a token: the number of actions, and behind that
// the actions.
static inline const parse_action *actions(glr *g, uint16_t state, uint16_t symbol) {
	return symbol >= symbol_skipped ? &no_action : &g->lang->parse_actions[cell(g, state, symbol)];
}

static inline uint8_t shows(const language *lang, uint16_t symbol) {
	if (symbol >= symbol_skipped) return symbol == symbol_error ? tree_visible | tree_named : 0;
	symbol_metadata m = lang->metadata[symbol];
	return (m.visible ? tree_visible : 0) | (m.named ? tree_named : 0);
}

// lex.c
void quarry_glr_lexer(glr *);
bool quarry_glr_token(glr *, const version *, uint16_t state, token *);

// stack.c
point *quarry_glr_point(glr *, point *from, tree, uint16_t state);
void quarry_glr_release(glr *, point *);
bool quarry_glr_can_merge(const glr *, uint32_t version, uint32_t other);
bool quarry_glr_merge(glr *, uint32_t version, uint32_t other);
void quarry_glr_remove(glr *, uint32_t version);
void quarry_glr_renumber(glr *, uint32_t from, uint32_t to);
bool quarry_glr_pop(glr *, uint32_t version, uint32_t count);
void quarry_glr_summarize(glr *, uint32_t version);

static inline void push(glr *g, version *v, tree t, uint16_t state) {
	v->top = quarry_glr_point(g, v->top, t, state);
	if (!t.leaf) v->nodes_at_error = v->top->nodes;
}

// tree.c
node *quarry_glr_node(glr *, uint16_t symbol, uint16_t production, uint32_t count);
void quarry_glr_sum(const language *, node *);
void quarry_glr_sum_error(glr *, node *, uint32_t start);
tree quarry_glr_leaf(glr *, const token *, bool extra);
int quarry_glr_compare_lists(glr *, const tree *, uint32_t, const tree *, uint32_t);
void quarry_glr_balance(glr *, node *root);
uint32_t quarry_glr_lines(glr *, uint32_t from, uint32_t to);

// reduce.c
enum { no_version = UINT32_MAX };
uint32_t quarry_glr_reduce(glr *, uint32_t version, const parse_action *, bool ends_extra);
bool quarry_glr_reduce_alone(glr *, uint32_t version, const parse_action *, bool ends_extra);
void quarry_glr_accept(glr *, uint32_t version, const token *);

typedef struct { tree *trees; uint32_t count, extras, cost; int32_t precedence; } choice;
choice quarry_glr_choice(path *);

// error.c
uint32_t quarry_glr_condense(glr *);
void quarry_glr_recover(glr *, uint32_t version, const token *);
