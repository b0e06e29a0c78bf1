package te

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzSum has anything stand in the telemetry: each line is an event or counted as none.
func FuzzSum(f *testing.F) {
	f.Add(`{"cmd":"grep","mode":"ranked","truncated":true,"input_size":10,"output_size":4,"latency_ms":3}` + "\n" + `{"cmd":`)
	f.Add("{}\n\nnull\n[]\n")
	f.Add(`{"cmd":"grep","latency_ms":-9223372036854775808,"input_size":9223372036854775807}`)
	f.Fuzz(func(t *testing.T, text string) {
		all, bad, err := Sum(strings.NewReader(text))
		if err != nil {
			return
		}
		n := bad
		for _, s := range all {
			n += s.N
			if s.Cmd == "" || s.N < 1 || !(s.Truncated >= 0 && s.Truncated <= 1) || s.Median > s.P95 {
				t.Errorf("%+v of %q", s, text)
			}
		}
		if lines := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; n > lines {
			t.Errorf("%d lines of %q, which has %d", n, text, lines)
		}
	})
}

// kept is a value of a weight.
type kept int64

func (k kept) Weight() int64 { return int64(k) }

// FuzzHandle: an id that was not given out is no handle.
func FuzzHandle(f *testing.F) {
	f.Add("res_0123456789ab")
	f.Add("")
	f.Add("res_\x00/../..")
	f.Fuzz(func(t *testing.T, id string) {
		var s Store
		given := s.Put(Handle{Session: "a", Value: kept(1)})
		if _, ok := s.Load("", id); ok && id != given {
			t.Errorf("%q is a handle", id)
		}
	})
}

// FuzzClean: what goes into a header or a breadcrumb is one line of text without signs
// that a terminal acts on.
func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31mb\r\n\u202ec\xff")
	f.Add("src/a b.go")
	f.Add("\u2028\u0085\x7f")
	f.Fuzz(func(t *testing.T, s string) {
		got := clean(s)
		if !utf8.ValidString(got) && utf8.ValidString(s) || strings.ContainsAny(got, "\n\r\x1b\x00\x7f") || strings.ContainsFunc(got, acts) {
			t.Errorf("%q became %q", s, got)
		}
		if clean(got) != got {
			t.Errorf("%q became %q, and that %q", s, got, clean(got))
		}
		Sniff(s, s)
		if n := CutText(s, 3, 20); n < 0 || n > len(s) {
			t.Errorf("%q is cut at %d", s, n)
		}
	})
}
