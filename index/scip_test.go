package index

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	pb "github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/proto"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/references"
	"github.com/quarry-search/quarry/index/scip"
)

// exported returns the SCIP index of an index.
func exported(t *testing.T, x *Index) (*pb.Index, scip.Export, []byte) {
	t.Helper()
	var out bytes.Buffer
	e, err := x.ExportSCIP(t.Context(), &out, "0")
	if err != nil {
		t.Fatal(err)
	}
	var i pb.Index
	if err := proto.Unmarshal(out.Bytes(), &i); err != nil {
		t.Fatal(err)
	}
	return &i, e, out.Bytes()
}

// spelled returns the text of a range, "" where that is not in the text.
func spelled(r *store.Record, at pb.Range) string {
	lines := strings.Split(string(r.Text.All()), "\n")
	if at.Start.Line != at.End.Line || int(at.Start.Line) >= len(lines) {
		return ""
	}
	line := lines[at.Start.Line]
	if at.Start.Character < 0 || at.Start.Character > at.End.Character || int(at.End.Character) > len(line) {
		return ""
	}
	return line[at.Start.Character:at.End.Character]
}

// TestExportSCIP writes a line for each occurrence and symbol.
func TestExportSCIP(t *testing.T) {
	const name = "testdata/scip/export.txtar"
	x, a := plain(t, name)
	i, e, _ := exported(t, x)
	records := x.Records()
	short := func(symbol string) string { return strings.TrimPrefix(symbol, "quarry ") }
	var got strings.Builder
	for _, d := range i.Documents {
		fmt.Fprintf(&got, "\n> %s %s\n", d.RelativePath, d.Language)
		for _, o := range d.Occurrences {
			at, _ := o.SourceRange()
			roles := ""
			for _, role := range slices.Sorted(maps.Keys(pb.SymbolRole_name)) {
				if o.SymbolRoles&role != 0 {
					roles += " " + pb.SymbolRole_name[role]
				}
			}
			around := ""
			if in, ok := o.EnclosingSourceRange(); ok {
				around = fmt.Sprintf(" in %d-%d", in.Start.Line+1, in.End.Line+1)
			}
			fmt.Fprintf(&got, "%d:%d-%d %s |%s | %s%s\n", at.Start.Line+1, at.Start.Character, at.End.Character,
				spelled(records[d.RelativePath], at), roles, short(o.Symbol), around)
		}
		for _, s := range d.Symbols {
			fmt.Fprintf(&got, "= %s %s %q %q %q\n", short(s.Symbol), s.Kind, s.DisplayName, s.SignatureDocumentation.Text, s.Documentation)
			for _, r := range s.Relationships {
				fmt.Fprintf(&got, "  %s implementation %t reference %t\n", short(r.Symbol), r.IsImplementation, r.IsReference)
			}
		}
	}
	fmt.Fprintf(&got, "\n%d documents, %d symbols, %d definitions, %d references; left out %v %d %d %d %d\n", e.Documents, e.Symbols, e.Definitions, e.References,
		e.Outside, e.Ambiguous, e.Strings, e.Unplaced, e.Unnamed)
	golden(t, name, a, got.String())
}

// TestExportedIndexIsRight reads the SCIP indexes of all cases about references back: each
// occurrence lies in its text and names a symbol that is declared, a definition is spelled as
// its symbol, and the same files give the same bytes.
func TestExportedIndexIsRight(t *testing.T) {
	names, err := filepath.Glob("testdata/references/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("there are no cases", err)
	}
	for _, name := range append(names, "testdata/scip/export.txtar", "testdata/calls.txtar", "testdata/outline.txtar") {
		t.Run(filepath.Base(name), func(t *testing.T) {
			x, _ := plain(t, name)
			i, e, data := exported(t, x)
			if _, _, again := exported(t, x); !bytes.Equal(data, again) {
				t.Error("it is another one the second time")
			}
			if m := i.Metadata; m.ProjectRoot != "file://"+filepath.ToSlash(x.Root()) || m.ToolInfo.Name != "quarry" || m.TextDocumentEncoding != pb.TextEncoding_UTF8 {
				t.Errorf("the metadata are %v", m)
			}
			declared := map[string]*pb.SymbolInformation{}
			for _, d := range i.Documents {
				for _, s := range d.Symbols {
					if _, err := pb.ParseSymbol(s.Symbol); err != nil {
						t.Errorf("%s: %v", s.Symbol, err)
					}
					declared[s.Symbol] = s
				}
			}
			records := x.Records()
			occurrences := 0
			for _, d := range i.Documents {
				if d.PositionEncoding != pb.PositionEncoding_UTF8CodeUnitOffsetFromLineStart {
					t.Errorf("%s: places are in %s", d.RelativePath, d.PositionEncoding)
				}
				for _, o := range d.Occurrences {
					occurrences++
					at, ok := o.SourceRange()
					text := spelled(records[d.RelativePath], at)
					s := declared[o.Symbol]
					if !ok || text == "" || s == nil {
						t.Errorf("%s: %v is %q, of %v", d.RelativePath, o, text, s)
						continue
					}
					if o.SymbolRoles&int32(pb.SymbolRole_Definition) != 0 && !strings.HasPrefix(strings.TrimPrefix(s.DisplayName, "#"), text) {
						t.Errorf("%s: the definition of %s is %q", d.RelativePath, s.DisplayName, text)
					}
				}
				for _, s := range d.Symbols {
					for _, r := range s.Relationships {
						if declared[r.Symbol] == nil {
							t.Errorf("%s implements %s, which is not declared", s.Symbol, r.Symbol)
						}
					}
				}
			}
			if occurrences == 0 || occurrences != e.Definitions+e.References || len(declared) == 0 {
				t.Errorf("%d occurrences of %d symbols, and it says %+v", occurrences, len(declared), e)
			}
		})
	}
}

// said makes a SCIP index of lines: "FILE:LINE WORD ROLE SYMBOL", def, decl or ref, of the first such word of a
// line, and "impl FILE SYMBOL SYMBOL". Symbols are those of the package, or zoo:NAME of another one.
func said(t *testing.T, x *Index, lines string) string {
	t.Helper()
	records := x.Records()
	symbol := func(name string) string {
		if name, ok := strings.CutPrefix(name, "zoo:"); ok {
			return "t pip zoo 1 " + name
		}
		return "t pip shop 1 " + name
	}
	documents := map[string]*pb.Document{}
	of := func(name string) *pb.Document {
		if documents[name] == nil {
			documents[name] = &pb.Document{RelativePath: name, PositionEncoding: pb.PositionEncoding_UTF8CodeUnitOffsetFromLineStart}
		}
		return documents[name]
	}
	for line := range strings.Lines(lines) {
		f := strings.Fields(line)
		if f[0] == "impl" {
			d := of(f[1])
			d.Symbols = append(d.Symbols, &pb.SymbolInformation{Symbol: symbol(f[2]), Relationships: []*pb.Relationship{{Symbol: symbol(f[3]), IsImplementation: true}}})
			continue
		}
		file, number, _ := strings.Cut(f[0], ":")
		n, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(strings.Split(string(records[file].Text.All()), "\n")[n-1], f[1])
		o := &pb.Occurrence{Symbol: symbol(f[3])}
		o.SetSourceRange(pb.Range{Start: pb.Position{Line: int32(n - 1), Character: int32(at)}, End: pb.Position{Line: int32(n - 1), Character: int32(at + len(f[1]))}})
		o.SymbolRoles = map[string]int32{"def": int32(pb.SymbolRole_Definition), "decl": int32(pb.SymbolRole_ForwardDefinition)}[f[2]]
		of(file).Occurrences = append(of(file).Occurrences, o)
	}
	i := &pb.Index{}
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		i.Documents = append(i.Documents, documents[name])
	}
	data, err := proto.Marshal(i)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "index.scip")
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// told writes what an index answers about calls and about references.
func told(t *testing.T, x *Index, ask string) string {
	t.Helper()
	var b strings.Builder
	all, err := x.Calls(t.Context(), calls.CallsQuery{External: true})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%d files\n", x.Status(0).SCIPFiles)
	for n, list := range [][]calls.CallEdge{all.Edges, all.Ambiguous, all.External} {
		for _, e := range list {
			fmt.Fprintf(&b, "%s %s:%d %s %s %s\n", []string{"->", "~>", "=>"}[n], e.From.File, e.Line, e.To.Symbol, e.Rule, e.Confidence)
		}
	}
	for _, s := range all.Unresolved {
		fmt.Fprintf(&b, "?> %s:%d %s %s\n", s.From.File, s.Line, s.Name, s.Reason)
	}
	for target := range strings.FieldsSeq(ask) {
		found, err := x.References(t.Context(), references.Query{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s:", target)
		for _, r := range slices.Concat(found.References, found.Ambiguous) {
			fmt.Fprintf(&b, " %s:%d %s", r.File, r.Line, r.Confidence)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestTakeSCIP compares answers without a SCIP index, with it, and after changes. A snapshot
// and an overlay have what they should have of it.
func TestTakeSCIP(t *testing.T) {
	const name = "testdata/scip/taken.txtar"
	x, a := plain(t, name)
	ask := part(a, "ask")
	before := told(t, x, ask)
	file := said(t, x, part(a, "scip"))
	report, err := x.TakeSCIP(t.Context(), file)
	if err != nil || report.Taken != 7 || report.Documents != 7 {
		t.Fatalf("%+v, %v", report, err)
	}
	with := told(t, x, ask)

	saved := filepath.Join(t.TempDir(), "snap")
	if err := x.Save(t.Context(), saved, true); err != nil {
		t.Fatal(err)
	}
	y, err := Open(x.Root(), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if err := y.Restore(saved); err != nil {
		t.Fatal(err)
	}
	if _, err := y.Build(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := told(t, y, ask); got != with {
		t.Errorf("from a snapshot:\n%s", gocmp.Diff(with, got))
	}

	run := string(x.Records()["run.py"].Text.All())
	over, err := x.With(t.Context(), []Overlay{{Path: "run.py", Content: run + "# later\n"}})
	if err != nil {
		t.Fatal(err)
	}
	overlaid := told(t, over.Index, ask)
	over.Release()
	if got := told(t, x, ask); got != with {
		t.Errorf("after an overlay:\n%s", gocmp.Diff(with, got))
	}

	write(t, x.Root(), "run.py", run+"# later\n")
	if _, err := x.Update(t.Context(), []string{"run.py"}); err != nil {
		t.Fatal(err)
	}
	edited := told(t, x, ask)
	if edited != overlaid {
		t.Errorf("an edit and an overlay differ:\n%s", gocmp.Diff(edited, overlaid))
	}
	write(t, x.Root(), "run.py", run)
	write(t, x.Root(), "animals.py", string(x.Records()["animals.py"].Text.All())+"# later\n")
	if _, err := x.Update(t.Context(), []string{"run.py", "animals.py"}); err != nil {
		t.Fatal(err)
	}
	golden(t, name, a, before+"\n"+with+"\n"+edited+"\n"+told(t, x, ask))
	if _, err := x.TakeSCIP(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := told(t, x, ask); got != before {
		t.Errorf("without a SCIP index again:\n%s", gocmp.Diff(before, got))
	}
}

// TestTakeSCIPErrors: files that are none, and an index that is not complete.
func TestTakeSCIPErrors(t *testing.T) {
	x, _ := plain(t, "testdata/scip/taken.txtar")
	_, _, data := exported(t, x)
	own := filepath.Join(t.TempDir(), "own.scip")
	if err := os.WriteFile(own, data, 0o644); err != nil {
		t.Fatal(err)
	}
	noise := filepath.Join(t.TempDir(), "noise")
	if err := os.WriteFile(noise, []byte("no index"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]error{noise: ErrSCIP, own: ErrSCIP, t.TempDir(): ErrSCIP, filepath.Join(t.TempDir(), "missing"): fs.ErrNotExist} {
		if _, err := x.TakeSCIP(t.Context(), name); !errors.Is(err, want) || x.Status(0).SCIPFiles != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	y, err := Open(x.Root(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer y.Close()
	if _, err := y.TakeSCIP(t.Context(), noise); err == nil || errors.Is(err, ErrSCIP) {
		t.Errorf("before a build: %v", err)
	}
}

// TestSCIPWhileEdited: questions and changes do not wait for each other, and in the end the
// facts are those of the texts.
func TestSCIPWhileEdited(t *testing.T) {
	x, a := plain(t, "testdata/scip/taken.txtar")
	if _, err := x.TakeSCIP(t.Context(), said(t, x, part(a, "scip"))); err != nil {
		t.Fatal(err)
	}
	with := told(t, x, "Dog.speak")
	run := string(x.Records()["run.py"].Text.All())
	done := make(chan error)
	go func() {
		for i := range 20 {
			text := run
			if i%2 == 0 {
				text += strings.Repeat("# later\n", i+1)
			}
			if err := os.WriteFile(filepath.Join(x.Root(), "run.py"), []byte(text), 0o644); err != nil {
				done <- err
				return
			}
			if _, err := x.Update(t.Context(), []string{"run.py"}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			if got := told(t, x, "Dog.speak"); got != with {
				t.Errorf("after edits that were taken back:\n%s", gocmp.Diff(with, got))
			}
			return
		default:
			if _, err := x.Calls(t.Context(), calls.CallsQuery{}); err != nil {
				t.Fatal(err)
			}
			x.Status(0)
		}
	}
}
