// The tables of a parser in a program that keeps them apart, compressed (tables.go).
#include "glr.h"

#include <stdlib.h>
#include <string.h>

// quarry_key is what stands in place of a language's first table.
uint64_t quarry_key(const void *of) {
	uint64_t key;
	memcpy(&key, ((const language *)of)->parse_table, sizeof(key));
	return key;
}

// quarry_room returns n bytes that begin where any table may.
void *quarry_room(size_t n) { return malloc(n); }

// quarry_completed returns a copy of a language that has its tables, which lie one after the
// other. One of no size is as it was. The copy is never freed. NULL says that there is no
// memory.
const void *quarry_completed(const void *of, const void *tables, const uint32_t sizes[quarry_tables]) {
	const language *lang = of;
	language *copy = calloc(1, sizeof(language));
	if (!copy) return NULL;
	memcpy(copy, lang, lang->version > quarry_oldest ? sizeof(language) : offsetof(language, primary_states));
	const void **fields[quarry_tables] = {
		(const void **)&copy->parse_table, (const void **)&copy->small_parse_table, (const void **)&copy->small_parse_table_map,
		(const void **)&copy->parse_actions, (const void **)&copy->lex_modes, (const void **)&copy->primary_states,
	};
	const char *at = tables;
	for (int i = 0; i < quarry_tables; at += sizes[i++]) {
		if (sizes[i]) *fields[i] = at;
	}
	return copy;
}
