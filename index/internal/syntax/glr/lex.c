// The lexer of glr.c: the functions that a grammar's own lexer calls, over one text of
// UTF-8 that lies in memory, and the choice between scanner, lexer and keywords.
#include "glr.h"

#include <string.h>

enum {
	undefined = UINT32_MAX,
	byte_order_mark = 0xFEFF,
	bytes_to_clock = 16 << 10, // of one token
};

static const uint64_t untouched = 0xA5A5A5A5A5A5A5A5; // a word of the slack of a state

static uint32_t decode(const uint8_t *s, uint32_t left, int32_t *c) {
	uint8_t a = s[0];
	uint32_t n = a >= 0xF0 ? 4 : a >= 0xE0 ? 3 : 2;
	int32_t r = a & (0x7F >> n);
	static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	*c = -1;
	if (a < 0xC2 || a > 0xF4 || left < n) return 1;
	for (uint32_t i = 1; i < n; i++) {
		if ((s[i] & 0xC0) != 0x80) return 1;
		r = r << 6 | (s[i] & 0x3F);
	}
	if (r < least[n] || r > 0x10FFFF || (r >= 0xD800 && r < 0xE000)) return 1;
	*c = r;
	return n;
}

static inline void look(glr *g) {
	if (g->at >= g->length) {
		g->lexer.lookahead = 0;
		g->width = 1;
		return;
	}
	uint8_t c = g->text[g->at];
	if (c < 0x80) {
		g->lexer.lookahead = c;
		g->width = 1;
		return;
	}
	g->width = decode(g->text + g->at, g->length - g->at, &g->lexer.lookahead);
}

static inline void move(glr *g, bool skip) {
	g->at += g->width;
	if (skip) g->start = g->at;
	look(g);
}

// check is called in place of move at the end of the text, and where a token is so long
// that it is time to look at the clock: a scanner may read all the text, and do that for
// each token. When it is late, the text ends here, so that the scanner does, too; what it
// has found is not used. It is apart to keep advance short, which is called for each character.
__attribute__((noinline)) static void check(glr *g, bool skip) {
	if (g->at >= g->length) return;
	if (g->until) quarry_glr_look_at_clock(g);
	if (g->late) {
		g->length = g->check_at = g->at;
		look(g);
		return;
	}
	g->check_at = g->length - g->at > bytes_to_clock ? g->at + bytes_to_clock : g->length;
	move(g, skip);
}

static void advance(lexer *l, bool skip) {
	glr *g = (glr *)l;
	if (g->at >= g->check_at) check(g, skip);
	else move(g, skip);
}

static void mark_end(lexer *l) { ((glr *)l)->end = ((glr *)l)->at; }

// go_on goes on from a place to the first one at or after goal.
static place go_on(const glr *g, place p, uint32_t goal) {
	while (p.at < goal) {
		int32_t c = g->text[p.at];
		p.at += c < 0x80 ? 1 : decode(g->text + p.at, g->length - p.at, &c);
		p.column = c == '\n' ? 0 : p.column + 1;
	}
	return p;
}

// get_column is asked for each character by some scanners, in lines of any length: it goes
// on from the place before, and where that is not near or behind, from one of those that
// are kept for the whole text. So no answer takes more than column_step bytes.
static uint32_t get_column(lexer *l) {
	glr *g = (glr *)l;
	if (g->at >= g->length) {
		// The library goes back to the line's beginning and stays there.
		if (g->at > 0 && g->text[g->at - 1] != '\n') g->give_up = true;
		return 0;
	}
	if (g->column.at > g->at || g->at - g->column.at > column_step) {
		uint32_t n = g->at / column_step;
		if (!g->columns) g->columns = take(g, (g->length / column_step + 1) * sizeof(place));
		for (; g->column_count <= n; g->column_count++) {
			place before = g->column_count ? g->columns[g->column_count - 1] : (place){0};
			g->columns[g->column_count] = go_on(g, before, g->column_count * column_step);
		}
		g->column = g->columns[n];
	}
	g->column = go_on(g, g->column, g->at);
	return g->column.column;
}

static bool at_range_start(const lexer *l) { return ((const glr *)l)->at == 0 && ((const glr *)l)->length > 0; }

static bool at_end(const lexer *l) { return ((const glr *)l)->at >= ((const glr *)l)->length; }

void quarry_glr_lexer(glr *g) {
	g->lexer = (lexer){0, 0, advance, mark_end, get_column, at_range_start, at_end};
	for (uint32_t i = 0; i < state_slack; i++) g->state.slack[i] = untouched;
}

static void begin(glr *g, uint32_t at) {
	g->at = g->start = at;
	g->end = undefined;
	g->check_at = g->length - at > bytes_to_clock ? at + bytes_to_clock : g->length;
	g->lexer.symbol = 0;
	look(g);
	if (at == 0 && g->lexer.lookahead == byte_order_mark) advance(&g->lexer, true);
}

static void finish(glr *g) {
	if (g->end == undefined) g->end = g->at;
	if (g->end < g->start) g->start = g->end;
}

// written returns how many bytes the scanner has to remember, which are in g->state. One
// that writes more than it may is refused: the library has less room for it.
static uint32_t written(glr *g) {
	uint32_t n = g->lang->scanner.serialize(g->scanner, g->state.bytes);
	uint64_t touched = 0;
	for (uint32_t i = 0; i < state_slack; i++) touched |= g->state.slack[i] ^ untouched;
	bool good = n <= quarry_most_state && touched == 0;
	if (!good) g->refused = g->give_up = true;
	return good ? n : 0;
}

// scan asks the scanner, which remembers what it did after the token after.
static bool scan(glr *g, uint32_t at, const scan_state *after, uint16_t state, token *t) {
	const language *lang = g->lang;
	const char *buffer = g->state.bytes;
	begin(g, at);
	lang->scanner.deserialize(g->scanner, after ? after->bytes : NULL, after ? after->length : 0);
	if (!lang->scanner.scan(g->scanner, &g->lexer, lang->scanner.states + lang->external_token_count * state)) return false;
	finish(g);
	uint32_t n = written(g);
	t->changed = n != (after ? after->length : 0) || (n > 0 && memcmp(buffer, after->bytes, n) != 0);
	if (!t->changed) {
		t->after = after;
	} else if (n == 0) {
		t->after = NULL;
	} else {
		scan_state *s = take(g, sizeof(scan_state) + n);
		s->length = n;
		memcpy(s->bytes, buffer, n);
		t->after = s;
	}
	return true;
}

// advanced says that a version has got on since the last error.
static bool advanced(const version *v) {
	const point *p = v->top;
	if (p->cost == 0) return true;
	while (p->links > 0 && p->first.tree.leaf) {
		tree t = p->first.tree;
		if (padding_of(t) + size_of(t) > 0) return true;
		if (p->nodes <= v->nodes_at_error || cost_of(t) > 0) return false;
		p = p->first.from;
	}
	return false;
}

// quarry_glr_token reads the token at the top of a version. It returns false where the
// state wants no token, at the end of an extra that is not a token itself. Where none of
// those that the state wants is there, any is taken, and where there is none, the bytes up
// to one are of symbol_error.
bool quarry_glr_token(glr *g, const version *v, uint16_t state, token *t) {
	const language *lang = g->lang;
	uint32_t from = v->top->at, at = from, wrong = 0, wrong_end = 0;
	lex_mode mode = lang->lex_modes[state];
	bool in_error = state == state_error, skipped = false;
	if (mode.lex_state == no_lookahead) return false;
	*t = (token){.state = state};
	for (;;) {
		if (mode.external_lex_state != 0 && scan(g, at, v->after, mode.external_lex_state, t) &&
			(g->end > at || t->changed || !(in_error || !advanced(v)))) {
			t->scanned = true;
			t->symbol = lang->scanner.symbols[g->lexer.symbol];
			break;
		}
		if (skipped) tick(g); // to look for a token at each byte may take all the time there is
		if (g->give_up) return true;
		begin(g, at);
		if (lang->lex(&g->lexer, mode.lex_state)) {
			finish(g);
			t->symbol = g->lexer.symbol;
			break;
		}
		finish(g);
		if (!in_error) {
			in_error = true;
			mode = lang->lex_modes[state_error];
			at = from;
			continue;
		}
		if (!skipped) {
			skipped = true;
			wrong = wrong_end = g->start;
		}
		if (g->at == wrong_end) {
			if (at_end(&g->lexer)) break;
			advance(&g->lexer, false);
		}
		at = wrong_end = g->at;
	}
	if (skipped) {
		*t = (token){.state = state, .symbol = symbol_error, .padding = wrong - from, .size = wrong_end - wrong};
		return true;
	}
	t->padding = g->start - from;
	t->size = g->end - g->start;
	if (!t->scanned && t->symbol == lang->keyword_capture && t->symbol != 0) {
		uint32_t end = g->end;
		begin(g, g->start);
		t->keyword = lang->lex_keyword(&g->lexer, 0);
		if (t->keyword && g->end == end && cell(g, state, g->lexer.symbol)) t->symbol = g->lexer.symbol;
	}
	return true;
}
