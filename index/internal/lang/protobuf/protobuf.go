// Package protobuf knows Protocol Buffers.
package protobuf

import (
	"bytes"
	_ "embed"

	"github.com/smacker/go-tree-sitter/protobuf"

	"github.com/quarry-search/quarry/index/internal/syntax"
)

//go:embed query.scm
var query string

// Language returns what is known of Protocol Buffers.
func Language() syntax.Language {
	return syntax.Language{
		Name:    "protobuf",
		Grammar: protobuf.GetLanguage,
		Query:   query,
		Rules: syntax.Rules{
			Exported: syntax.Always,
			Mask:     maskProtobuf,
		},
	}
}

// maskProtobuf hides the labels, which the grammar knows nothing of: without
// them proto2 reads as proto3. One label makes the whole file an error.
func maskProtobuf(src []byte) []byte {
	m := syntax.Mask{Text: src}
	for _, word := range [...]string{"optional ", "required ", "extensions "} {
		m.Each(word, func(at int) {
			if !m.Begins(at) {
				return
			}
			if word == "extensions " {
				// In a comment the word may begin a line, too, and no number follows.
				rest := bytes.TrimLeft(src[at+len(word):], " \t\r\n")
				if end := bytes.IndexByte(src[at:], ';'); end >= 0 && '0' <= rest[0] && rest[0] <= '9' {
					m.Blank(at, at+end+1)
				}
				return
			}
			m.Put(at, "        ")
		})
	}
	m.Each(`"proto2"`, func(at int) { m.Put(at, `"proto3"`) })
	return m.Bytes()
}
