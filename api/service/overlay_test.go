package service

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/api/fields"
	"github.com/quarry-search/quarry/api/wire"
)

// FuzzOverlay has anything stand for an overlay: it is read, or refused with a sentence.
func FuzzOverlay(f *testing.F) {
	for _, text := range []string{
		`[]`, `null`, `{}`, `"a.go"`, `[1]`, `[{}]`, `[{"path":"a.go","content":""}]`, `[{"path":"a.go","content":null}]`, `[{"path":"a.go"}]`,
		`[{"path":"","content":""}]`, `[{"path":"a\u0000","content":""}]`, `[{"path":["a"],"content":{}}]`, `[[{"path":"a","content":"b"}]]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d := fields.JSON([]byte(`{"overlay":` + text + `}`))
		files := readOverlay(d)
		if d.Err != nil {
			if p := Classify(d.Err); p.Code != wire.CodeInvalidRequest && p.Code != wire.CodeInvalidPath || p.Message == "" {
				t.Errorf("%s: %+v", text, p)
			}
			return
		}
		if files == nil {
			return
		}
		var list []json.RawMessage
		if err := json.Unmarshal([]byte(text), &list); err != nil || len(list) != len(files) {
			t.Fatalf("%s: %d files, %v", text, len(files), err)
		}
		for _, f := range files {
			if f.Path == "" || strings.ContainsRune(f.Path, 0) {
				t.Errorf("%s: %+v", text, f)
			}
		}
	})
}
