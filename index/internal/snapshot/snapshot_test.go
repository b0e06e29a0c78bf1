package snapshot

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// write makes a snapshot of a few sections and returns its path.
func write(t testing.TB, sections map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.quarry")
	w, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for n := range sections {
			if !yield(n) {
				return
			}
		}
	}) {
		if strings.HasPrefix(name, "packed") {
			w.Pack(name, []byte(sections[name]))
		} else {
			w.Add(name, []byte(sections[name]))
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return path
}

var some = map[string]string{
	"empty": "", "packed-empty": "", "short": "abc", "packed": strings.Repeat("func main() {}\n", 40) + "end",
	"packed-zeros": strings.Repeat("\x00", 1<<16), "sixteen-letters-": "x",
}

func TestRoundTrip(t *testing.T) {
	path := write(t, some)
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, want := range some {
		got, err := f.Section(name)
		if err != nil || string(got) != want || !f.Has(name) {
			t.Errorf("section %s: %d bytes, %v; want %d", name, len(got), err, len(want))
		}
	}
	if _, err := f.Section("none"); !errors.Is(err, ErrDamaged) || f.Has("none") {
		t.Errorf("a section that is not there: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	a, _ := os.ReadFile(path)
	b, _ := os.ReadFile(write(t, some))
	if !bytes.Equal(a, b) {
		t.Error("the same sections give other bytes")
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if len(left) != 1 {
		t.Errorf("next to the snapshot there are %v", left)
	}
}

func TestMistakes(t *testing.T) {
	for name, add := range map[string]func(w *Writer){
		"long name": func(w *Writer) { w.Add("seventeen-letters", nil) },
		"no name":   func(w *Writer) { w.Add("", nil) },
		"twice":     func(w *Writer) { w.Add("a", nil); w.Pack("a", nil) },
		"many": func(w *Writer) {
			for i := range maxSections + 1 {
				w.Add(fmt.Sprint(i), nil)
			}
		},
	} {
		path := filepath.Join(t.TempDir(), "a")
		w, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		add(w)
		if err := w.Commit(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if left, _ := filepath.Glob(path + "*"); len(left) != 0 {
			t.Errorf("%s: left behind: %v", name, left)
		}
	}
	w, err := Create(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if left, _ := filepath.Glob(w.final + "*"); len(left) != 0 {
		t.Errorf("aborted, left behind: %v", left)
	}
	if _, err := Create(filepath.Join(t.TempDir(), "no", "folder")); err == nil {
		t.Error("a folder that does not exist: no error")
	}
	if _, err := Open(w.final); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that does not exist: %v", err)
	}
}

// read opens bytes and returns what all sections hold, or the first error.
func read(b []byte) (map[string]string, error) {
	f, err := Read(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	got := map[string]string{}
	for name := range some {
		s, err := f.Section(name)
		if err != nil {
			return nil, err
		}
		got[name] = string(s)
	}
	return got, nil
}

// TestDamage cuts a snapshot everywhere and changes every byte of it: what can still
// be read is what was written.
func TestDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine: the race detector sees nothing here")
	}
	b, err := os.ReadFile(write(t, some))
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if _, err := read(b[:n]); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut to %d bytes of %d: %v", n, len(b), err)
		}
	}
	if _, err := read(append(slices.Clone(b), 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte more: %v", err)
	}
	unseen := 0
	for n := range b {
		for _, bit := range []byte{1, 0x80} {
			b[n] ^= bit
			got, err := read(b)
			b[n] ^= bit
			switch {
			case err == nil:
				unseen++ // it fills the space between sections
				for name, want := range some {
					if got[name] != want {
						t.Fatalf("byte %d changed: section %s is another", n, name)
					}
				}
			case !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion):
				t.Fatalf("byte %d changed: %v", n, err)
			}
		}
	}
	if filled := (align - 1) * len(some); unseen > 2*filled {
		t.Errorf("%d changes were not seen", unseen)
	}
}

func FuzzRead(f *testing.F) {
	b, err := os.ReadFile(write(f, some))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add(b[:headLength])
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := read(b); err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrVersion) {
			t.Fatal(err)
		}
	})
}

func TestCodec(t *testing.T) {
	var e Encoder
	e.Uint(0)
	e.Uint(1 << 63)
	e.Int(-5)
	e.Bool(true)
	e.Byte(7)
	e.Uint32(1 << 31)
	e.Uint64(1 << 62)
	e.Float32(1.5)
	e.Float64(-2.25)
	e.String("häuser")
	e.Len(2)
	e.Raw([]byte{9, 8})
	decode := func(b []byte) (string, error) {
		d := NewDecoder(b)
		s := fmt.Sprintln(d.Uint(), d.Uint(), d.Int(), d.Bool(), d.Byte(), d.Uint32(), d.Uint64(), d.Float32(), d.Float64(), d.String(), d.Raw(d.Len(1)))
		return s, d.End()
	}
	want := "0 9223372036854775808 -5 true 7 2147483648 4611686018427387904 1.5 -2.25 häuser [9 8]\n"
	if got, err := decode(e.Bytes()); got != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for n := range e.Bytes() {
		if _, err := decode(e.Bytes()[:n]); !errors.Is(err, ErrDamaged) {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	if _, err := decode(append(e.Bytes(), 0)); !errors.Is(err, ErrDamaged) {
		t.Errorf("a byte more: %v", err)
	}
	for name, read := range map[string]func(d *Decoder){
		"below":       func(d *Decoder) { d.Below(200) },
		"number":      func(d *Decoder) { NewDecoder([]byte{0xff}).Uint(); d.Int(); d.Int(); d.Uint() },
		"length":      func(d *Decoder) { d.Len(2) },
		"truth value": func(d *Decoder) { d.Bool() },
		"own":         func(d *Decoder) { d.Fail("no") },
	} {
		d := NewDecoder([]byte{200, 1, 3})
		read(d)
		if !errors.Is(d.Err(), ErrDamaged) || d.Uint() != 0 || d.Left() != 0 {
			t.Errorf("%s: %v, %d bytes left", name, d.Err(), d.Left())
		}
	}
}

// TestStream writes a section in parts and as a whole.
func TestStream(t *testing.T) {
	whole := []byte(strings.Repeat("one part after the other, ", 50))
	file := func(section func(w *Writer)) []byte {
		path := filepath.Join(t.TempDir(), "s")
		w, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w.Add("before", []byte("x"))
		section(w)
		w.Add("after", []byte("y"))
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	want := file(func(w *Writer) { w.Add("s", whole) })
	for _, size := range []int{1, 7, 4096} {
		got := file(func(w *Writer) { w.Stream("s", slices.Chunk(whole, size)) })
		if !bytes.Equal(got, want) {
			t.Errorf("parts of %d bytes give another file", size)
		}
	}
	none := func(func([]byte) bool) {}
	if got := file(func(w *Writer) { w.Stream("s", none) }); !bytes.Equal(got, file(func(w *Writer) { w.Add("s", nil) })) {
		t.Error("a section of no parts is not an empty one")
	}
}

// TestSign reads snapshots that nobody signed, or somebody, or that were changed after it.
func TestSign(t *testing.T) {
	key := func(seed byte) ed25519.PrivateKey {
		return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	}
	public := func(k ed25519.PrivateKey) ed25519.PublicKey { return k.Public().(ed25519.PublicKey) }
	file := func(text string, by ed25519.PrivateKey) ([]byte, ID) {
		path := filepath.Join(t.TempDir(), "s")
		w, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w.Add("a", []byte(text))
		if by != nil {
			w.Sign(by)
		}
		if err := w.Commit(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return b, w.ID()
	}
	open := func(b []byte) (*File, error) { return Read(bytes.NewReader(b), int64(len(b))) }
	ours, theirs := key(1), key(2)
	plain, id := file("text", nil)
	signed, same := file("text", ours)
	if id != same {
		t.Errorf("the same sections have the IDs %s and %s, signed", id, same)
	}
	again, _ := file("text", ours)
	if !bytes.Equal(signed, again) {
		t.Error("signed twice, there are two files")
	}
	stripped := slices.Concat(signed[:sealAt], make([]byte, tableAt-sealAt), signed[tableAt:])
	other, _ := file("another text", theirs)
	for _, c := range []struct {
		what string
		file []byte
		by   ed25519.PublicKey
		keys []ed25519.PublicKey
		want error
	}{
		{"signed", signed, public(ours), []ed25519.PublicKey{public(ours)}, nil},
		{"signed by the second", signed, public(ours), []ed25519.PublicKey{public(theirs), public(ours)}, nil},
		{"signed by somebody else", signed, public(ours), []ed25519.PublicKey{public(theirs)}, ErrUntrusted},
		{"signed, and nobody may", signed, public(ours), nil, ErrUntrusted},
		{"unsigned", plain, nil, []ed25519.PublicKey{public(ours)}, ErrUntrusted},
		{"stripped", stripped, nil, []ed25519.PublicKey{public(ours)}, ErrUntrusted},
	} {
		f, err := open(c.file)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if err := f.Trust(c.keys); !errors.Is(err, c.want) || (err != nil) != (c.want != nil) {
			t.Errorf("%s: %v; want %v", c.what, err, c.want)
		}
		if !c.by.Equal(f.Signer()) {
			t.Errorf("%s: by %x; want %x", c.what, f.Signer(), c.by)
		}
		if err := f.Verify(); err != nil || f.ID() != id {
			t.Errorf("%s: %v, ID %s; want %s", c.what, err, f.ID(), id)
		}
	}
	moved := slices.Concat(other[:sealAt], signed[sealAt:tableAt], other[tableAt:])
	if _, err := open(moved); !errors.Is(err, ErrDamaged) {
		t.Errorf("the signature of another file: %v", err)
	}
	for n := sealAt; n < tableAt; n++ { // of the signature
		b := slices.Clone(signed)
		b[n] ^= 4
		if _, err := open(b); !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d changed: %v", n, err)
		}
	}
	b := slices.Clone(signed)
	b[headLength] ^= 1
	f, err := open(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); !errors.Is(err, ErrDamaged) {
		t.Errorf("a section that was changed: %v", err)
	}
	if got := Fingerprint(public(ours)); !strings.HasPrefix(got, "SHA256:") || got == Fingerprint(public(theirs)) {
		t.Errorf("fingerprint %s", got)
	}
}
