package index

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/search"
	"github.com/quarry-search/quarry/index/verify"
)

// A panic in a goroutine that a call has started comes to its caller, as a panic or an
// error, and the index answers as before when its cause is gone.
func TestPanicsComeToTheCaller(t *testing.T) {
	root := t.TempDir()
	for i := range 40 {
		write(t, root, fmt.Sprintf("f%02d.go", i), fmt.Sprintf("package p\n\n// Needle%d is one.\nfunc Needle%d() { Needle%d() }\n", i, i, (i+1)%40))
	}
	x := build(t, root)
	r := x.Table.Files["f07.go"]
	whole := r.Text
	ask := map[string]func() error{
		"regex": func() error {
			_, err := x.Search(t.Context(), search.Query{Text: "N..dle", Mode: search.Regex})
			return err
		},
		"grep": func() error {
			_, err := x.Grep(t.Context(), grep.GrepQuery{Pattern: "N..dle"})
			return err
		},
		"raw grep": func() error {
			_, err := x.GrepRaw(t.Context(), grep.GrepQuery{Pattern: "N..dle"}, grep.RawOptions{}, io.Discard)
			return err
		},
		"verify": func() error {
			_, err := x.Verify(t.Context(), verify.VerifyOptions{})
			return err
		},
		"search": func() error {
			_, err := x.Search(t.Context(), search.Query{Text: "needle 7"})
			return err
		},
	}
	r.Text.Blocks = [][]byte{[]byte("this is no block of text")}
	for name, f := range ask {
		var err error
		panicked := fault.Try(func() { err = f() })
		var recovered *fault.Error
		if panicked == nil && !errors.As(err, &recovered) && name != "verify" && name != "search" {
			t.Errorf("%s: no panic came through, but %v", name, err)
		}
	}
	r.Text = whole
	for name, f := range ask {
		if err := f(); err != nil {
			t.Errorf("%s, when all is well: %v", name, err)
		}
	}
	write(t, root, "f07.go", "package p\n\nfunc Later() {}\n")
	update(t, x, "f07.go") // no lock was left behind
	if got := searchFor(t, x, search.Query{Text: "Later"}); len(got) == 0 || !strings.Contains(got[0].Content, "Later") {
		t.Errorf("%+v", got)
	}
}

// A crew makes panics errors, ends its context, and waits for all.
func TestCrew(t *testing.T) {
	c, ctx := fault.WithContext(t.Context())
	c.Go(func() error { panic("a mistake") })
	c.Go(func() error {
		<-ctx.Done()
		return ctx.Err()
	})
	var recovered *fault.Error
	if err := c.Wait(); !errors.As(err, &recovered) || !strings.Contains(err.Error(), "a mistake") {
		t.Errorf("%v", err)
	}
	var plain fault.ErrGroup
	plain.Go(func() error { return context.Canceled })
	if err := plain.Wait(); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
