package suite

import (
	"bytes"
	"path/filepath"
	"testing"
)

// FuzzRead: a suite that is taken has questions about files below the corpus, and is
// read again as it was written.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"name":"shop","queries":[{"text":"where","targets":[{"path":"a/b.go","start":1,"end":2}]}]}`))
	f.Add([]byte(`[{"name":"shop","root":"sub","queries":[{"text":"where","targets":[{"path":"b.go"}]}]},{"name":"shop","root":"./sub"}]`))
	f.Add([]byte(`[{"name":"..","queries":null}]`))
	f.Add([]byte(`[{"name":"a","queries":[{"text":"w","targets":[{"path":"../x"}]}]}]`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parse(text)
		if err == nil {
			s, err = Suite(nil).join(s)
		}
		if err != nil {
			return
		}
		for _, r := range s {
			if !filepath.IsLocal(filepath.Join(r.Name, r.Root)) {
				t.Errorf("%q %q is not below the corpus", r.Name, r.Root)
			}
			for _, q := range r.Queries {
				for _, target := range q.Targets {
					if q.Text == "" || !filepath.IsLocal(target.Path) {
						t.Errorf("%q is about %q", q.Text, target.Path)
					}
					target.Holds(target.Path, 1, 1)
				}
			}
		}
		var once, twice bytes.Buffer
		if err := s.Write(&once); err != nil {
			t.Fatal(err)
		}
		again, err := parse(once.Bytes())
		if err != nil {
			t.Fatalf("%s: %v", once.Bytes(), err)
		}
		if err := again.Write(&twice); err != nil || !bytes.Equal(once.Bytes(), twice.Bytes()) {
			t.Errorf("%s\n%s\n%v", once.Bytes(), twice.Bytes(), err)
		}
	})
}

// FuzzLog: what git prints of commits may be anything, and makes questions of one line.
func FuzzLog(f *testing.F) {
	f.Add("\x01fix: the cart is saved (#12)\x00\na.go\x00b.go\x00\x01feat(api)!: x\x00")
	f.Add("\x01\x01\x00\x00[a] [b] c: d\xff")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range parseLog(text) {
			if c.subject == "" {
				t.Errorf("%q has a commit without a subject", text)
			}
			if q, ok := question(c.subject); ok && q == "" {
				t.Errorf("%q makes an empty question", c.subject)
			}
		}
	})
}
