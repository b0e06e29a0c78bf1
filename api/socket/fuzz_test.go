package socket

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// FuzzCommands asks a real server every command with any fields: the same request has
// the same reply, and none is a mistake of the server. Each two bytes of shape are a
// field that some command knows and a value; without a shape, text is the line. A new
// command is among them by being in the table.
func FuzzCommands(f *testing.F) {
	ar, err := txtar.ParseFile("testdata/rows.txtar")
	if err != nil {
		f.Fatal(err)
	}
	var log bytes.Buffer
	s, err := New(Options{
		Asker: openProject(f, ar).Socket(), Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		f.Fatal(err)
	}
	commands := slices.Sorted(maps.Keys(s.commands))
	known := map[string]bool{"id": true, "format": true, "project": true, "timeout_ms": true}
	for line := range strings.Lines(string(ar.Files[len(ar.Files)-1].Data)) {
		if r, _ := parse([]byte(line)); strings.HasPrefix(line, "{") && r != nil {
			for name := range r.fields {
				known[name] = true
			}
			f.Add(uint8(slices.Index(commands, r.cmd)), []byte{}, strings.TrimSpace(line))
		}
	}
	names := slices.Sorted(maps.Keys(known))
	for i := range commands {
		f.Add(uint8(i), []byte("0011223344"), "auth/token.go")
		f.Add(uint8(i), []byte("abcdefgh"), "\u00e9\x00\xff")
	}
	f.Fuzz(func(t *testing.T, n uint8, shape []byte, text string) {
		if len(text) > 4<<10 || len(shape) > 40 {
			return
		}
		line := []byte(text)
		if cmd := commands[int(n)%len(commands)]; len(shape) > 0 {
			values := []any{
				nil, true, 0, 1, -5, 1e300, json.Number("1e999"), "", "auth/token.go", "auth", "../x", "Verify", "Signer.Verify", "encode", "go", "python", "(", "return",
				[]any{}, []any{"auth/token.go", 1}, []any{[]any{}}, map[string]any{"a": []any{}}, strings.Repeat("x", 9000), "text", "json", "callers", text, []any{text}, map[string]any{text: text},
			}
			all := map[string]any{"cmd": cmd}
			for ; len(shape) > 1; shape = shape[2:] {
				all[names[int(shape[0])%len(names)]] = values[int(shape[1])%len(values)]
			}
			if line, err = json.Marshal(all); err != nil {
				return // no number of JSON
			}
		}
		reply := func() []byte {
			r, fault := parse(line)
			if fault != nil {
				return fault.encode(nil)
			} else if r == nil {
				return nil
			}
			out, _ := s.answer(t.Context(), r, "")
			return out.encode(r)
		}
		log.Reset()
		got := reply()
		if got == nil {
			return
		}
		var v struct {
			Success *bool
			Code    string
		}
		if err := json.Unmarshal(got, &v); err != nil || v.Success == nil || v.Code == codeInternal || strings.Contains(log.String(), "panic") {
			t.Errorf("%s: %s %v\n%s", line, got, err, &log)
		}
		if again := reply(); !bytes.Equal(again, got) && !changes(line) {
			t.Errorf("%s: %s, then %s", line, got, again)
		}
	})
}

// changes reports whether the replies to a line say how much was asked, or do something.
func changes(line []byte) bool {
	r, _ := parse(line)
	return r == nil || slices.Contains([]string{"status", "track", "grep", "cat", "find", "warm", "reindex", "notify", "invalidate", "ping", "semantic"}, r.cmd) || r.fields["session_id"] != nil || r.fields["session"] != nil
}
