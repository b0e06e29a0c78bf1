package index

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pb "github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/proto"

	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/scip"
)

// exported returns the SCIP index of an index.
func exported(t *testing.T, x *Index) (*pb.Index, scip.Export, []byte) {
	t.Helper()
	var out bytes.Buffer
	e, err := x.ExportSCIP(t.Context(), &out, scip.Tool{Name: "quarry", Version: "0"})
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
					if o.SymbolRoles&int32(pb.SymbolRole_Definition) != 0 && !strings.HasPrefix(s.DisplayName, text) {
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
