package protocol

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// implementing finds the heads of blocks of Rust that implement a trait, with its path.
var implementing = regexp.MustCompile(`(?m)^([ \t]*)(?:unsafe[ \t]+)?(?:impl\b|(?:pub[^\n]*[ \t])?trait\b|(?:pub[^\n]*[ \t])?mod\b)([^{;]*)`)

// Trait returns the last name of the trait that a block of Rust implements which is open at
// the end of a text, "" for none.
func Trait(before []byte) string {
	all := implementing.FindAllSubmatch(before, -1)
	if len(all) == 0 {
		return ""
	}
	last := all[len(all)-1]
	head := bytes.TrimSpace(last[0])
	if !bytes.HasPrefix(head, []byte("impl")) && !bytes.HasPrefix(head, []byte("unsafe impl")) {
		return ""
	}
	trait, _, ok := strings.Cut(withoutNested(string(last[2])), " for ")
	if !ok {
		return ""
	}
	words := strings.FieldsFunc(trait, func(c rune) bool { return !isNameRune(c) })
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

func isNameRune(c rune) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// Module heads and what a module says of its behaviours, in Elixir.
var (
	moduleHead = regexp.MustCompile(`(?m)^([ \t]*)(defmodule|defimpl|defprotocol|defmacrop?)[ \t]+([\w.]+)`)
	definition = regexp.MustCompile(`(?m)^[ \t]*def`)
	behaviour  = regexp.MustCompile(`(?m)^[ \t]*(?:use|@behaviour)[ \t(]+([\w.]+)`)
	isImpl     = regexp.MustCompile(`@impl\b`)
)

// callbacks are the functions that modules of Elixir's library call of those that use them.
var callbacks = map[string]string{
	"GenServer":           "init handle_call handle_cast handle_info handle_continue terminate code_change format_status start_link",
	"Supervisor":          "init start_link",
	"DynamicSupervisor":   "init start_link",
	"Application":         "start stop prep_stop config_change start_phase",
	"Agent":               "start_link",
	"Task":                "start_link run",
	"Bitwise":             "",
	"ExUnit.Case":         "",
	"ExUnit.CaseTemplate": "",
	"Plug.Builder":        "init call",
}

// Behaviours returns what may call a function of Elixir that begins at a place of a text: the
// protocol whose block it is in or the macro that defines it, or the behaviours that its module
// says to have. Where a
// module says of any function that it is one of those, it must of all.
func Behaviours(src []byte, at int, name string) (by string, all []string) {
	if i := definition.FindIndex(src[at:]); i != nil {
		at += i[0] // after its attributes
	}
	for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
		at++
	}
	indent := at - (bytes.LastIndexByte(src[:at], '\n') + 1)
	heads := moduleHead.FindAllSubmatchIndex(src[:at], -1)
	for _, h := range slices.Backward(heads) {
		if h[3]-h[2] >= indent && indent > 0 {
			continue // of a module before
		}
		named := string(src[h[6]:h[7]])
		if kind := string(src[h[4]:h[5]]); kind != "defmodule" {
			switch kind {
			case "defimpl":
				return "the protocol " + named, nil
			case "defprotocol":
				return "", nil
			}
			return "the code that " + named + " makes", nil
		}
		body := src[h[0]:]
		if end := bytes.Index(body, []byte("\n"+string(src[h[2]:h[3]])+"end")); end > 0 {
			body = body[:end]
		}
		if isImpl.Match(body) && !isImpl.Match(above(src, at)) {
			return "", nil
		}
		for _, m := range behaviour.FindAllSubmatch(body, -1) {
			b := string(m[1])
			if names, known := callbacks[b]; !known || slices.Contains(strings.Fields(names), name) {
				all = append(all, b)
			}
		}
		return "", all
	}
	return "", nil
}

// above is the paragraph before a place.
func above(src []byte, at int) []byte {
	head := src[:at]
	if i := bytes.LastIndex(head, []byte("\n\n")); i >= 0 {
		head = head[i:]
	}
	return head
}

// typeHead finds the heads of types and their extensions in Swift.
var typeHead = regexp.MustCompile(`(?m)^[^\n{}]*\b(extension|class|struct|enum|actor|protocol)[ \t]+([\w.]+)[^{\n]*\{`)

// Extension returns the protocols that the extension of a type in Swift adds which is open at
// the end of a text; nil for the type itself.
func Extension(before []byte, name string) []Base {
	for _, m := range slices.Backward(typeHead.FindAllSubmatch(before, -1)) {
		if string(m[2]) == name {
			if string(m[1]) != "extension" {
				return nil
			}
			return Bases("swift", name, m[0])
		}
	}
	return nil
}
