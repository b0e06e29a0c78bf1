package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
)

// tables are those that are cut out of a parser, in the order in which package glr expects
// them. The first takes the key.
var tables = []string{"ts_parse_table", "ts_small_parse_table", "ts_small_parse_table_map", "ts_parse_actions", "ts_lex_modes", "ts_primary_state_ids"}

// table matches one, from the line where its declaration begins to the line that ends it.
var table = regexp.MustCompile(`(?ms)^static (?:const )?(\w+) (ts_\w+)(?:\[\w*\])+ = \{$.*?^\};$`)

// cut returns a generated parser without its tables, and what tells it from other parsers.
// The parser's first table is that key, by which the program finds the tables. Other text
// in C is returned as it is, with 0.
func cut(parser []byte) ([]byte, uint64) {
	if !bytes.Contains(parser, []byte(" ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {\n")) {
		return parser, 0
	}
	sum := sha256.Sum256(parser)
	return table.ReplaceAllFunc(parser, func(declaration []byte) []byte {
		part := table.FindSubmatch(declaration)
		switch name := string(part[2]); {
		case name == tables[0]:
			key := make([]uint16, 4)
			for i := range key {
				key[i] = binary.LittleEndian.Uint16(sum[2*i:])
			}
			return fmt.Appendf(nil, "static const %s %s[1][4] = {{%d, %d, %d, %d}};", part[1], name, key[0], key[1], key[2], key[3])
		case slices.Contains(tables, name):
			return fmt.Appendf(nil, "static const %s %s[1];", part[1], name)
		}
		return declaration
	}), binary.LittleEndian.Uint64(sum[:])
}

// compile calls the compiler. A parser that it is to compile is cut before.
func compile(command []string) error {
	dir, err := os.MkdirTemp("", "quarry-pack-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if slices.Contains(command, "-c") {
		for i, arg := range command {
			if filepath.Base(arg) != "parser.c" {
				continue
			}
			whole, err := os.ReadFile(arg)
			if err != nil {
				return err
			}
			text, key := cut(whole)
			if key == 0 {
				continue
			}
			command[i] = filepath.Join(dir, "parser.c")
			if err := os.WriteFile(command[i], text, 0o600); err != nil {
				return err
			}
			command = append(command, "-iquote", filepath.Dir(arg), "-ffile-prefix-map="+dir+"=.")
		}
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
