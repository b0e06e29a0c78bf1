package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// small is a parser as tree-sitter generates them, as far as it matters.
const small = `#include "parser.h"
#define LARGE_STATE_COUNT 2
#define SYMBOL_COUNT 3
#define STATE_COUNT 5
static const uint16_t ts_alias_map[] = {
  1, 2,
};

static const lex_mode ts_lex_modes[STATE_COUNT] = {
  [0] = {0},
  [4] = {7},
};

static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {
  [0] = {
    [2] = 9,
  },
};

static uint16_t ts_small_parse_table[] = {
  [0] = 3,
  [8] = 4,
};

const language *tree_sitter_small(void) {
  static const language made = {&ts_parse_table[0][0], ts_small_parse_table, ts_alias_map, ts_lex_modes};
  return &made;
}
`

const header = `#include <stdint.h>
typedef struct { uint16_t state; } lex_mode;
typedef struct { const uint16_t *table, *small, *aliases; const lex_mode *modes; } language;
`

// program prints what stands where the first table does, and an alias.
const program = `#include "parser.h"
#include <stdio.h>
#include <string.h>
const language *tree_sitter_small(void);
int main(void) {
	uint64_t key;
	memcpy(&key, tree_sitter_small()->table, sizeof(key));
	printf("%016llx %d\n", (unsigned long long)key, tree_sitter_small()->aliases[1]);
}
`

// TestPack cuts the tables out of a parser while it is compiled, and finds them in the
// overlay.
func TestPack(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("there is no C compiler that makes ELF")
	}
	root, grammar, out := t.TempDir(), t.TempDir(), t.TempDir()
	files := map[string]string{
		filepath.Join(grammar, "parser.c"): small, filepath.Join(grammar, "parser.h"): header, filepath.Join(grammar, "main.c"): program,
		filepath.Join(root, models[0]): "the model, the model, the model", filepath.Join(root, models[1]): "another",
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := run([]string{"overlay", "-cc", cc, "-out", out, "-root", root, grammar}); err != nil {
		t.Fatal(err)
	}
	tables, err := os.ReadFile(filepath.Join(out, tablesFile))
	if err != nil {
		t.Fatal(err)
	}
	_, key := cut([]byte(small))
	if got := binary.LittleEndian.Uint64(tables); got != key || key == 0 {
		t.Errorf("the key is %x, want %x", got, key)
	}
	r, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	whole, err := r.DecodeAll(tables[8+4*6+4:], nil)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 16+24+16)
	want[4], want[16], want[32], want[48] = 9, 3, 4, 7
	if !bytes.Equal(whole, want) {
		t.Errorf("the tables are\n%v, want\n%v", whole, want)
	}
	packed, err := os.ReadFile(filepath.Join(out, models[0]))
	if err != nil {
		t.Fatal(err)
	}
	if model, err := r.DecodeAll(packed, nil); err != nil || string(model) != "the model, the model, the model" {
		t.Errorf("%q, %v", model, err)
	}

	object := filepath.Join(out, "small.o")
	if err := run([]string{"cc", cc, "-c", "-o", object, filepath.Join(grammar, "parser.c")}); err != nil {
		t.Fatal(err)
	}
	asked := filepath.Join(out, "asked")
	if err := run([]string{"cc", cc, "-o", asked, filepath.Join(grammar, "main.c"), object}); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(asked).Output()
	if want := fmt.Sprintf("%016x 2\n", key); err != nil || string(said) != want {
		t.Errorf("it says %q, %v, want %q", said, err, want)
	}
	if err := run([]string{"cc", cc, "-c", "-o", object, filepath.Join(grammar, "none.c")}); err == nil {
		t.Error("what cannot be compiled is")
	}
}

func TestCutOther(t *testing.T) {
	for _, text := range []string{"", "static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT];\n", "int main(void) { return 0; }\n"} {
		if got, key := cut([]byte(text)); key != 0 || string(got) != text {
			t.Errorf("%q is cut to %q", text, got)
		}
	}
}
