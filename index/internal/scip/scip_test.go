package scip

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	pb "github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/quarry-search/quarry/index/internal/snapshot"
)

var update = flag.Bool("update", false, "write what is wanted")

// when is the time of a SCIP index in tests.
var when = time.Unix(1_700_000_000, 0)

// texts are the files of an archive but for those whose names begin with "+", which were
// written an hour after the SCIP index under the rest of their names.
func texts(a *txtar.Archive) func(string) (Text, bool) {
	return func(name string) (Text, bool) {
		for _, f := range a.Files {
			if rest, late := strings.CutPrefix(f.Name, "+"); rest == name {
				t := Text{Src: f.Data, Hash: xxhash.Sum64(f.Data), ModTime: when}
				if late {
					t.ModTime = when.Add(time.Hour)
				}
				return t, true
			}
		}
		return Text{}, false
	}
}

// read reads one index into a Reader of a root.
func read(t testing.TB, root string, text func(string) (Text, bool), data []byte) (*Facts, Report, error) {
	t.Helper()
	r := NewReader(root, text)
	err := r.Read(t.Context(), bytes.NewReader(data), when)
	facts, report := r.Facts()
	return facts, report, err
}

// parse makes a SCIP index of lines:
//
//	root URL
//	doc PATH [ENCODING] [text|other] with the text of the file, or another one
//	LINE START END ROLE SYMBOL       0-based, as they are; def, decl or ref
//	impl SYMBOL SYMBOL               the first implements the second
//	name SYMBOL TEXT                 its display name
func parse(t testing.TB, a *txtar.Archive, lines string) []byte {
	t.Helper()
	i := &pb.Index{Metadata: &pb.Metadata{}}
	var d *pb.Document
	number := func(s string) int32 {
		n, err := strconv.ParseInt(s, 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		return int32(n)
	}
	symbol := func(s string) string {
		if name, ok := strings.CutPrefix(s, "local:"); ok {
			return "local " + name
		}
		if name, ok := strings.CutPrefix(s, "other:"); ok {
			return "test npm other 1 " + name
		}
		return "test npm own 1 " + s
	}
	for line := range strings.Lines(lines) {
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case f[0] == "root":
			i.Metadata.ProjectRoot = f[1]
		case f[0] == "doc":
			d = &pb.Document{RelativePath: f[1], PositionEncoding: pb.PositionEncoding_UTF8CodeUnitOffsetFromLineStart}
			for _, word := range f[2:] {
				if text, _ := texts(a)(f[1]); word == "text" {
					d.Text = string(text.Src)
				} else if word == "other" {
					d.Text = string(text.Src) + "\n"
				} else {
					d.PositionEncoding = pb.PositionEncoding(number(word))
				}
			}
			i.Documents = append(i.Documents, d)
		case f[0] == "impl":
			d.Symbols = append(d.Symbols, &pb.SymbolInformation{Symbol: symbol(f[1]), Relationships: []*pb.Relationship{{Symbol: symbol(f[2]), IsImplementation: true}}})
		case f[0] == "name":
			d.Symbols = append(d.Symbols, &pb.SymbolInformation{Symbol: symbol(f[1]), DisplayName: f[2]})
		default:
			//lint:ignore SA1019 it is what most indexers write
			o := &pb.Occurrence{Symbol: symbol(f[4]), Range: []int32{number(f[0]), number(f[1]), number(f[2])}}
			o.SymbolRoles = map[string]int32{"def": int32(pb.SymbolRole_Definition), "decl": int32(pb.SymbolRole_ForwardDefinition)}[f[3]]
			d.Occurrences = append(d.Occurrences, o)
		}
	}
	data, err := proto.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// print writes what facts say.
func (f *Facts) print() string {
	var b strings.Builder
	now := f.Now(func(path string) (uint64, bool) { return f.files[f.byPath[path]].hash, true })
	now.Each(func(path string, occurrences []Occurrence) {
		fmt.Fprintf(&b, "%s\n", path)
		for _, o := range occurrences {
			name, long := now.Name(o.Symbol)
			where, places := now.Where(o.Symbol)
			by, known := now.Implementing(o.Symbol)
			role := "names"
			if o.Defines {
				role = "defines"
			} else if o.Declares {
				role = "declares"
			}
			fmt.Fprintf(&b, "  %d:%d %d %s %s (%s): %s", o.Pos.Line(), o.Pos.Column(), o.Length, role, name, long, []string{"unknown", "here", "local", "outside"}[where])
			for _, p := range places {
				fmt.Fprintf(&b, " %s:%d", p.Path, p.Pos.Line())
			}
			if len(by) > 0 || !known {
				fmt.Fprintf(&b, "; by %d places, known %t", len(by), known)
			}
			b.WriteByte('\n')
		}
	})
	return b.String()
}

// TestRead reads the SCIP indexes of the archives in testdata: the file "scip" of each case has
// lines of parse.
func TestRead(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("there are no cases", err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			part := map[string]string{}
			for _, f := range a.Files {
				part[f.Name] = string(f.Data)
			}
			facts, report, err := read(t, "/src/project", texts(a), parse(t, a, part["scip"]))
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprintf("%d documents, %d taken, %d names\n", report.Documents, report.Taken, report.Names)
			for _, reason := range slices.Sorted(maps.Keys(report.Left)) {
				got += fmt.Sprintf("%s %d\n", reason, report.Left[reason])
			}
			got += facts.print()
			if *update {
				a.Files[len(a.Files)-1].Data = []byte(got) // want
				if err := os.WriteFile(name, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if d := cmp.Diff(part["want"], got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			var e snapshot.Encoder
			facts.Save(&e)
			restored := Restore(snapshot.NewDecoder(e.Bytes()))
			if restored == nil || restored.print() != facts.print() {
				t.Errorf("what was saved is restored as %v", restored)
			}
		})
	}
}

// hostile are files that are no SCIP index, or one that asks for too much.
func hostile() map[string][]byte {
	tag := func(field protowire.Number, kind protowire.Type) []byte { return protowire.AppendTag(nil, field, kind) }
	bytesOf := func(field protowire.Number, parts ...[]byte) []byte {
		return protowire.AppendBytes(tag(field, protowire.BytesType), slices.Concat(parts...))
	}
	return map[string][]byte{
		"text":                     []byte("this is no index\n"),
		"a huge length":            append(tag(2, protowire.BytesType), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
		"a number that never ends": append(tag(2, protowire.BytesType), bytes.Repeat([]byte{0xff}, 64)...),
		"a length without bytes":   append(tag(2, protowire.BytesType), 0x10, 'a'),
		"a tag cut off":            {0x80},
		"field 0":                  {0x02, 0x00},
		"a group":                  tag(2, protowire.StartGroupType),
		"a document of noise":      bytesOf(2, bytes.Repeat([]byte{0xff}, 20)),
		"an occurrence of noise":   bytesOf(2, bytesOf(1, []byte("a.go")), bytesOf(2, []byte{0x0a, 0x05, 1})),
		"a large occurrence":       bytesOf(2, bytesOf(1, []byte("a.go")), bytesOf(2, bytesOf(2, make([]byte, maxPart+1)))),
		"a part above the limit":   append(tag(2, protowire.BytesType), protowire.AppendVarint(nil, maxDocument+1)...),
	}
}

func TestHostile(t *testing.T) {
	a := &txtar.Archive{Files: []txtar.File{{Name: "a.go", Data: []byte("package a\n")}}}
	for name, data := range hostile() {
		if _, _, err := read(t, "/", texts(a), data); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRead: whatever a file says, reading it ends with facts that lie in the texts, or an error;
// and what was read is restored as it was.
func FuzzRead(f *testing.F) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		f.Fatal("there are no seeds", err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, one := range a.Files {
			if one.Name == "scip" {
				f.Add(parse(f, a, string(one.Data)))
			}
		}
	}
	for _, data := range hostile() {
		if len(data) < 1<<10 {
			f.Add(data)
		}
	}
	text, err := os.ReadFile("testdata/taken.txtar")
	if err != nil {
		f.Fatal(err)
	}
	a := txtar.Parse(text)
	f.Fuzz(func(t *testing.T, data []byte) {
		facts, report, err := read(t, "/src/project", texts(a), data)
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Fatal(err)
		}
		if report.Taken != facts.Files() {
			t.Errorf("%d taken, %d files", report.Taken, facts.Files())
		}
		for _, one := range facts.files {
			known, ok := texts(a)(one.path)
			if !ok {
				t.Fatalf("facts about %q", one.path)
			}
			lines := strings.Split(string(known.Src), "\n")
			for _, o := range one.occurrences {
				at := o.Pos.Column() - 1
				if word := lines[o.Pos.Line()-1][at : at+int(o.Length)]; !isWord(word) {
					t.Errorf("%v is %q", o, word)
				}
			}
		}
		var e snapshot.Encoder
		facts.Save(&e)
		if restored := Restore(snapshot.NewDecoder(e.Bytes())); restored == nil || restored.print() != facts.print() {
			t.Error("what was saved is not restored")
		}
	})
}

// FuzzRestore: bytes that are not what Save wrote give nothing, or facts that can be asked.
func FuzzRestore(f *testing.F) {
	text, err := os.ReadFile("testdata/taken.txtar")
	if err != nil {
		f.Fatal(err)
	}
	a := txtar.Parse(text)
	for _, one := range a.Files {
		if one.Name == "scip" {
			facts, _, err := read(f, "/src/project", texts(a), parse(f, a, string(one.Data)))
			if err != nil {
				f.Fatal(err)
			}
			var e snapshot.Encoder
			facts.Save(&e)
			f.Add(e.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := snapshot.NewDecoder(data)
		facts := Restore(d)
		if (facts == nil) != (d.Err() != nil) {
			t.Fatalf("%v, and the error is %v", facts, d.Err())
		}
		if facts != nil {
			_ = facts.print()
		}
	})
}
