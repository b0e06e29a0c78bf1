// The scanners of some grammars, made to keep what they promise. A scanner writes down what
// it remembers after each of its tokens, in at most quarry_most_state bytes, and reads that
// before the next. Those below write more than that, or what they cannot read: a number
// that is greater than its one byte, on which the next read aborts. A language is copied,
// and has the functions below in place of the scanner's own, for this parser and for the
// library's. Where what is written is not good, nothing is remembered, which is what these
// scanners do themselves when they find that there is no room.
#include "glr.h"

#include <stdlib.h>
#include <string.h>

enum { room = 2 * quarry_most_state }; // no scanner writes more: what each does is said below

typedef unsigned serialize_function(void *, char *);
extern serialize_function tree_sitter_bash_external_scanner_serialize, tree_sitter_elm_external_scanner_serialize,
	tree_sitter_kotlin_external_scanner_serialize, tree_sitter_php_external_scanner_serialize,
	tree_sitter_ruby_external_scanner_serialize, tree_sitter_yaml_external_scanner_serialize;
extern void tree_sitter_sql_external_scanner_deserialize(void *, const char *, unsigned);

// whole says that a state of n bytes is one that its scanner can read: it begins with a
// head of at least one byte, the last of which is a number of parts. A part is bytes to be
// skipped, a length of width bytes, and length times size bytes.
static bool whole(const char *state, unsigned n, unsigned head, unsigned skipped, unsigned width, unsigned size) {
	if (n == 0) return true;
	if (n > quarry_most_state || n < head) return false;
	unsigned at = head;
	for (unsigned parts = (uint8_t)state[head - 1]; parts > 0; parts--) {
		if (n - at < skipped + width) return false;
		at += skipped;
		uint32_t length = (uint8_t)state[at];
		if (width == sizeof(length)) memcpy(&length, state + at, sizeof(length));
		at += width;
		if (length > (n - at) / size) return false;
		at += length * size;
	}
	return at == n;
}

static unsigned keep(bool good, char *buffer, const char *state, unsigned n) {
	if (!good) return 0;
	memcpy(buffer, state, n);
	return n;
}

// Bash counts three bytes too few for each delimiter of a heredoc, and writes up to three
// too many; it writes the number of heredocs to one byte.
static unsigned bash(void *payload, char *buffer) {
	char state[room];
	unsigned n = tree_sitter_bash_external_scanner_serialize(payload, state);
	return keep(whole(state, n, 4, 3, 4, 1), buffer, state, n);
}

// PHP writes the number of heredocs to one byte. Its words are of 4 bytes a character.
static unsigned php(void *payload, char *buffer) {
	char state[room];
	unsigned n = tree_sitter_php_external_scanner_serialize(payload, state);
	return keep(whole(state, n, 1, 1, 4, 4), buffer, state, n);
}

// Ruby writes the length of a heredoc's word, and the number of heredocs, to one byte, and
// up to two bytes too many.
static unsigned ruby(void *payload, char *buffer) {
	char state[room];
	unsigned n = tree_sitter_ruby_external_scanner_serialize(payload, state);
	unsigned head = n > 0 ? 1 + 5 * (unsigned)(uint8_t)state[0] + 1 : 1; // of what is open in the text
	return keep(whole(state, n, head, 3, 1, 1), buffer, state, n);
}

// YAML writes levels of indentation, of two bytes each, from an odd place: one byte too many.
static unsigned yaml(void *payload, char *buffer) {
	char state[room];
	unsigned n = tree_sitter_yaml_external_scanner_serialize(payload, state);
	return keep(n <= quarry_most_state, buffer, state, n);
}

// Kotlin remembers a byte for each string that is open, and aborts at one more than there
// is room for.
static unsigned kotlin(void *payload, char *buffer) {
	char state[room];
	unsigned n = tree_sitter_kotlin_external_scanner_serialize(payload, state);
	return keep(n < quarry_most_state, buffer, state, n);
}

// Elm writes levels of indentation until it has come to their number, which it never does
// where there is none.
static unsigned elm(void *payload, char *buffer) {
	const struct { uint32_t length; struct { uint32_t count, room; uint8_t *data; } indents; } *scanner = payload;
	if (scanner->indents.count == 0 || scanner->indents.count > scanner->indents.room) return 0;
	return tree_sitter_elm_external_scanner_serialize(payload, buffer);
}

// SQL loses the memory of the tag that it has read before.
static void sql(void *payload, const char *buffer, unsigned n) {
	char **tag = payload;
	free(*tag);
	*tag = NULL;
	tree_sitter_sql_external_scanner_deserialize(payload, buffer, n);
}

// Swift asks for no elements of 4 bytes each, and uses one.
static void *swift(void) { return calloc(1, sizeof(uint32_t)); }

// quarry_guarded returns the language of a name with a scanner that is mended, or as it is
// where nothing has to be. A copy is made, which is never freed, so it is to be asked for
// once. NULL says that there is no memory.
const void *quarry_guarded(const char *name, const void *of) {
	static const struct {
		const char *name;
		void *(*create)(void);
		serialize_function *serialize;
		void (*deserialize)(void *, const char *, unsigned);
	} guards[] = {
		{"bash", .serialize = bash}, {"elm", .serialize = elm}, {"kotlin", .serialize = kotlin},
		{"php", .serialize = php}, {"ruby", .serialize = ruby}, {"sql", .deserialize = sql},
		{"swift", .create = swift}, {"yaml", .serialize = yaml},
	};
	const language *lang = of;
	if (lang->version < quarry_oldest || lang->version > quarry_newest) return of;
	for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++) {
		if (strcmp(guards[i].name, name) != 0) continue;
		language *copy = calloc(1, sizeof(language));
		if (!copy) return NULL;
		// Tables of the older version end before the last field.
		memcpy(copy, lang, lang->version > quarry_oldest ? sizeof(language) : offsetof(language, primary_states));
		if (guards[i].create) copy->scanner.create = guards[i].create;
		if (guards[i].serialize) copy->scanner.serialize = guards[i].serialize;
		if (guards[i].deserialize) copy->scanner.deserialize = guards[i].deserialize;
		return copy;
	}
	return of;
}
