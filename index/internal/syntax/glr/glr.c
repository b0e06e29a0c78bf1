// A parser by the tables of a grammar of tree-sitter, for a text that is parsed once and
// whole.
//
// The library's own is made to go on with its tree after an edit: each node knows its rows
// and columns, how far the lexer looked ahead and how many hold it, and comes from malloc.
// That is most of the time. This one walks the same tables, calls the same lexers and
// scanners, and keeps what a tree to be copied consists of.
//
// The tables are those of a GLR parser. Where a cell has more than one action, there are
// several versions of the text so far, each with a stack of its own, which share what is
// below (stack.c). Those that cannot go on end; those that have come to the same
// state become one again, with two ways back, of which the next reduction past them
// chooses one: by the precedence that the grammar gives, then by the order of symbols.
// In a round each version goes on by a token. Which version is tried first, how many
// there may be, and when they are merged decides which of two readings of an ambiguous
// text is found, so all of that is done as the library does it: M. Tomita's graph of
// stacks as in its parser.c and stack.c, without what they have for edits.
// TestGLR compares the trees of both, node for node.
//
// What is done where a text has an error is in error.c.
//
// Where a table is of an unknown version, where a scanner does what only the library can
// answer, or where there are more readings than there is room for or more errors than
// there is memory for, nothing is returned, and the library parses the text from the
// beginning.
#define _POSIX_C_SOURCE 200809L // clock_gettime

#include "glr.h"

#include <string.h>
#include <time.h>

enum {
	piece = 256 << 10, // bytes that are taken from the arena at once
};

// A text needs 20 to 60 bytes for each of its own. Where it is full of errors, what is
// tried in vain is many times that: the library gives it back at once, this parser at the
// end.
enum { most_at_least = 64 << 20, most_for_byte = 192 };

void *quarry_glr_more(glr *g, size_t size) {
	if (quarry_arena_size(g->arena) > g->most) g->give_up = true;
	if (quarry_apart || size > piece / 4) return quarry_arena_take(g->arena, size);
	g->free = quarry_arena_take(g->arena, piece);
	g->free_end = g->free + piece;
	void *p = g->free;
	g->free += size;
	return p;
}

// The clock is that of the thread: where others have the processors, a text is not given
// up for it.
static int64_t now_in_nanoseconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void quarry_glr_look_at_clock(glr *g) {
	if (now_in_nanoseconds() > g->until) g->late = g->give_up = true;
}

// fits says that the token that was read last may be used in another state.
static bool fits(glr *g, uint16_t state, const token *t, const parse_action *have) {
	lex_mode here = g->lang->lex_modes[state], there = g->lang->lex_modes[t->state];
	if (here.lex_state == no_lookahead) return false;
	if (have->entry.count > 0 && here.lex_state == there.lex_state && here.external_lex_state == there.external_lex_state &&
		(t->symbol != g->lang->keyword_capture || (!t->keyword && t->state == state))) return true;
	if (t->size == 0 && t->symbol != symbol_end) return false;
	return here.external_lex_state == 0 && have->entry.reusable;
}

// next_token reads the token that a version wants in a state, unless it was read for
// another. It returns the actions for it; there is false if the state wants none.
static const parse_action *next_token(glr *g, const version *v, uint16_t state, token *t, bool *there) {
	*there = quarry_glr_token(g, v, state, t);
	if (!*there) return actions(g, state, symbol_end);
	g->cached = *t;
	g->cached_at = v->top->at;
	g->cached_after = v->after;
	g->has_cached = true;
	return actions(g, state, t->symbol);
}

// step takes a version past the next token, or to where it cannot go on.
static void step(glr *g, uint32_t v) {
	version *me = &g->versions[v];
	uint16_t state = me->top->state;
	token t;
	bool there = false;
	const parse_action *have = NULL;
	if (g->has_cached && g->cached_at == me->top->at && same_state(g->cached_after, me->after)) {
		have = actions(g, state, g->cached.symbol);
		there = fits(g, state, &g->cached, have);
		if (there) t = g->cached;
	}
	if (!there) have = next_token(g, me, state, &t, &there);
	for (;;) {
		tick(g);
		if (g->give_up) return;
		uint32_t last = no_version; // of those that a reduction made
		bool alone = false;
		for (uint32_t i = 1; i <= have->entry.count; i++) {
			const parse_action *a = have + i;
			uint32_t made;
			switch (a->type) {
			case action_shift:
				if (a->shift.repetition) break;
				push(g, me, quarry_glr_leaf(g, &t, a->shift.extra), a->shift.extra ? state : a->shift.state);
				if (t.scanned) me->after = t.after;
				return;
			case action_reduce:
				alone = have->entry.count == 1 && quarry_glr_reduce_alone(g, v, a, !there);
				if (alone) break;
				made = quarry_glr_reduce(g, v, a, !there);
				if (g->give_up) return;
				if (made != no_version) last = made;
				break;
			case action_accept:
				quarry_glr_accept(g, v, &t);
				return;
			case action_recover:
				quarry_glr_recover(g, v, &t);
				return;
			}
		}
		if (alone || last != no_version) {
			if (!alone) quarry_glr_renumber(g, last, v);
			state = me->top->state;
			if (there) have = actions(g, state, t.symbol);
			else have = next_token(g, me, state, &t, &there);
			continue;
		}
		if (!there) { // the extra has become one of another version
			me->status = halted;
			return;
		}
		if (t.keyword && t.symbol != g->lang->keyword_capture) {
			const parse_action *word = actions(g, state, g->lang->keyword_capture);
			if (word->entry.count > 0) {
				have = word;
				t.symbol = g->lang->keyword_capture;
				continue;
			}
		}
		if (state == state_error) {
			quarry_glr_recover(g, v, &t);
			return;
		}
		me->status = paused;
		me->token = t;
		me->nodes_at_error = me->top->nodes;
		return;
	}
}

// run parses the text, and says whether it came to an end.
static bool run(glr *g) {
	uint32_t last = 0;
	while (g->count > 0) {
		for (uint32_t v = 0; v < g->count; v++) {
			while (g->versions[v].status == active) {
				step(g, v);
				if (g->give_up) return false;
				uint32_t at = g->versions[v].top->at;
				if (at > last || (v > 0 && at == last)) {
					last = at;
					break;
				}
			}
		}
		uint32_t least = quarry_glr_condense(g);
		if (g->give_up) return false;
		if (g->finished.leaf && cost_of(g->finished) < least) break;
	}
	return g->finished.leaf != 0;
}

// quarry_glr parses a text in place of the last one of the arena, for at most so many
// microseconds if that is not 0. It returns NULL where it gave up, with the reason. What it
// returns is good for the functions below until quarry_glr_flatten has copied it.
const void *quarry_glr(quarry_arena *arena, const void *of, const char *text, uint32_t length,
	uint64_t micros, quarry_reason *why) {
	const language *lang = of;
	*why = quarry_declined;
	if (sizeof(void *) != sizeof(uint64_t) || lang->version < quarry_oldest || lang->version > quarry_newest) return NULL;
	if (length > quarry_longest) return NULL;
	quarry_arena_clear(arena);
	glr *g = quarry_arena_take(arena, sizeof(glr));
	memset(g, 0, sizeof(glr));
	g->lang = lang;
	g->arena = arena;
	g->looked = quarry_arena_cells(arena, lang);
	g->text = (const uint8_t *)text;
	g->length = length;
	g->most = most_at_least + (size_t)length * most_for_byte;
	if (micros) g->until = now_in_nanoseconds() + (int64_t)micros * 1000;
	quarry_glr_lexer(g);
	point *bottom = take(g, sizeof(point));
	*bottom = (point){.refs = 1, .state = 1};
	g->versions[g->count++] = (version){.top = bottom};
	if (lang->scanner.states && lang->scanner.create) g->scanner = lang->scanner.create();
	bool ok = run(g);
	if (g->scanner && lang->scanner.destroy) lang->scanner.destroy(g->scanner);
	if (ok) {
		quarry_glr_balance(g, g->finished.node);
		return g;
	}
	*why = g->refused ? quarry_refused : g->late ? quarry_late : quarry_declined;
	quarry_arena_clear(arena);
	return NULL;
}

bool quarry_glr_broken(const void *g) { return ((const glr *)g)->finished.node->cost > 0; }
