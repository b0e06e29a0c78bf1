package command

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/quarry-search/quarry/cmd/quarry/config"
)

// FuzzConfig has anything stand in the configuration: it is refused with a sentence that
// names the file, or gives settings that can be used, the same each time.
func FuzzConfig(f *testing.F) {
	f.Add([]byte("root = \"src\"\n[server]\nport = 4001\nallow_root = [\"a\", \"/b\"]\nmemory = \"600MiB\"\n[watch]\ndebounce = \"250ms\"\n"))
	f.Add([]byte("[tool_envelope]\n[tool_envelope.budgets]\nclaude = 100\n"))
	f.Add([]byte("[server]\nport = -1\nsocket = [\"a\"]\n[cache]\nsize = \"1EiB\"\n"))
	f.Add([]byte("[summarize]\nmodel = \"m\"\n[log]\nlevel = \"debug\"\nformat = \"json\"\n"))
	f.Add([]byte("[[server]]\n"))
	f.Add([]byte("a.b.c = {d = [1, 2, {}]}\n\xff"))
	f.Add([]byte("[watch]\npoll = 3\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, again := config.Default(), config.Default()
		err, err2 := s.Read(path), again.Read(path)
		if (err == nil) != (err2 == nil) || err == nil && !reflect.DeepEqual(s, again) {
			t.Errorf("%q is read as %+v (%v) and %+v (%v)", text, s, err, again, err2)
		}
		if err == nil {
			err = s.Check()
		} else if !strings.Contains(err.Error(), "config.toml") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		for _, p := range append([]string{s.Server.TokenFile, s.Embed.Model}, s.Server.AllowRoot...) {
			if p != "" && !filepath.IsAbs(p) {
				t.Errorf("%q: the path %q is relative", text, p)
			}
		}
		if s.Server.Port < 0 || s.Server.Port > 65535 || s.Watch.Debounce < 0 || s.Cache.Size < 0 {
			t.Errorf("%q gives %+v", text, s)
		}
	})
}

// FuzzUnits: a size or a duration that is taken is read again from how it is shown.
func FuzzUnits(f *testing.F) {
	for _, text := range []string{"600MiB", "2GB", "1.5 kb", "0", "-1", "9223372036854775807", "16EiB", "1e3", "300ms", "1h2m", "NaNMB", "InfGB", ".", "1_000"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s, again config.Size
		if s.Set(text) == nil {
			if err := again.Set(s.String()); err != nil || again != s || s < 0 {
				t.Errorf("%q is %d, shown as %q, and that is %d (%v)", text, int64(s), s, int64(again), err)
			}
		}
		var d, same config.Duration
		if d.Set(text) == nil {
			if err := same.Set(d.String()); err != nil || same != d || d < 0 {
				t.Errorf("%q is %s, and that is %s (%v)", text, d, same, err)
			}
		}
		var m, mine config.Mode
		if m.Set(text) == nil {
			if err := mine.Set(m.String()); err != nil || mine != m {
				t.Errorf("%q is %s, and that is %s (%v)", text, m, mine, err)
			}
		}
	})
}

// FuzzToken has anything stand in a token file: what is taken can stand in a header.
func FuzzToken(f *testing.F) {
	f.Add([]byte("correct-horse-battery\n"))
	f.Add([]byte("short"))
	f.Add([]byte(" \tcorrect horse battery"))
	f.Add([]byte("\ufeffcorrect-horse-battery"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		token, err := config.ReadToken(path, "/nothing")
		if err != nil {
			return
		}
		if len(token) < config.MinToken || len(token) > config.MaxToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%q gives the token %q", text, token)
		}
	})
}
