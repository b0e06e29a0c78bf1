// Package scip writes what an index knows of its code as an index of SCIP, the format in which
// tools of code intelligence exchange definitions and references: https://scip-code.org.
//
// It has the files of the call graph: their symbols, the places that References is sure of, and
// which types and methods implement others. Local variables, and what is defined outside of the
// index, are not in it.
package scip

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	pb "github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/proto"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/calls"
	reading "github.com/quarry-search/quarry/index/internal/scip"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/references"
)

// An Export says what was written and what was left out.
type Export struct {
	Documents   int
	Symbols     int
	Definitions int            // occurrences that define a symbol
	References  int            // occurrences that name one
	Ambiguous   int            // places that have the name of a symbol, and may mean another one
	Outside     map[string]int // files that are not in the call graph, by language; "" for text
	Unplaced    int            // symbols whose name does not stand where they are defined
	references.Tally
	State answer.State
}

// Write writes the index of all files that the call graph has. The same tree in the same
// folder gives the same bytes. version is that of the program, which the index names.
func Write(ctx context.Context, x *store.View, w io.Writer, version string) (Export, error) {
	e := exporter{index: x, documents: map[*store.Record]*document{}, report: Export{Outside: map[string]int{}}}
	x.Graph.Wait()
	all, state, err := x.FilesByPath(store.Scope{})
	if err != nil {
		return e.report, err
	}
	e.report.State = state
	e.manifests = manifestsOf(all)
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		for _, r := range all {
			if w.G.Has(r.Path) {
				e.files = append(e.files, r)
			} else {
				e.report.Outside[r.Lang]++
			}
		}
		e.name()
		e.declare(w)
	})
	e.report.Tally, err = references.All(ctx, x, e.files, e.refer)
	if err != nil {
		return e.report, err
	}
	root := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(x.Root()), "/")} // also of C:/x
	head := &pb.Index{Metadata: &pb.Metadata{
		ToolInfo: &pb.ToolInfo{Name: reading.Tool, Version: version}, ProjectRoot: root.String(), TextDocumentEncoding: pb.TextEncoding_UTF8,
	}}
	// Messages of protocol buffers add up: each part is an Index of its own.
	if err := put(w, head); err != nil {
		return e.report, err
	}
	for _, r := range e.files {
		if err := ctx.Err(); err != nil {
			return e.report, err
		}
		if err := put(w, &pb.Index{Documents: []*pb.Document{e.document(r)}}); err != nil {
			return e.report, err
		}
	}
	return e.report, nil
}

func put(w io.Writer, part *pb.Index) error {
	data, err := proto.MarshalOptions{Deterministic: true}.Marshal(part)
	if err != nil {
		return fmt.Errorf("scip: %w", err)
	}
	_, err = w.Write(data)
	return err
}

// An exporter is the work of one Write.
type exporter struct {
	index     *store.View
	files     []*store.Record // by path
	manifests manifests
	documents map[*store.Record]*document
	report    Export
}

// A document is what is written of a file.
type document struct {
	names  []string // of the symbols of the record; "" for what is left out
	places []place
	doubts map[int]bool // the offsets of places that may mean something else
	kin    [][]relation // of the symbols
}

// A place is an occurrence, in bytes.
type place struct {
	symbol     string
	member     string // of what a method is one that is referred to; "" for all else
	declared   bool   // see references.Named
	offset     int
	length     int
	roles      pb.SymbolRole
	start, end int // of the definition; the same for a reference
}

// roles are those of the kinds that references have.
var roles = map[string]pb.SymbolRole{"write": pb.SymbolRole_WriteAccess, "import": pb.SymbolRole_Import}

// refer takes a reference.
func (e *exporter) refer(n references.Named) {
	symbol := e.documents[n.Of.Record].names[n.Of.Symbol]
	if symbol == "" {
		return
	}
	d := e.documents[n.In]
	if n.Ambiguous {
		d.doubts[n.Offset] = true
		return
	}
	role := cmp.Or(roles[n.Kind], pb.SymbolRole_ReadAccess)
	if n.Test {
		role |= pb.SymbolRole_Test
	}
	p := place{symbol: symbol, offset: n.Offset, length: n.Length, roles: role}
	if s := &n.Of.Record.Symbols[n.Of.Symbol]; s.Kind() == syntax.Method {
		p.member, p.declared = s.Parent, n.Declared
	}
	d.places = append(d.places, p)
}

// document makes the message of a file.
func (e *exporter) document(r *store.Record) *pb.Document {
	d := e.documents[r]
	delete(e.documents, r) // its places are not needed again
	out := &pb.Document{
		Language: languageOf(r.Lang), RelativePath: r.Path, PositionEncoding: pb.PositionEncoding_UTF8CodeUnitOffsetFromLineStart,
	}
	slices.SortFunc(d.places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.length, b.length), strings.Compare(a.symbol, b.symbol), cmp.Compare(b.roles&pb.SymbolRole_Definition, a.roles&pb.SymbolRole_Definition))
	})
	d.places = slices.CompactFunc(d.places, func(a, b place) bool {
		return a.offset == b.offset && a.length == b.length && a.symbol == b.symbol
	})
	d.places = d.decided()
	lines := linesOf(r.Text.All())
	for i := range d.places {
		p := &d.places[i]
		delete(d.doubts, p.offset) // it means this
		o := &pb.Occurrence{Symbol: p.symbol, SymbolRoles: int32(p.roles)}
		o.SetSourceRange(lines.between(p.offset, p.offset+p.length))
		if p.end > p.start {
			o.SetEnclosingSourceRange(lines.between(p.start, p.end))
		}
		if p.roles&pb.SymbolRole_Definition != 0 {
			e.report.Definitions++
		} else {
			e.report.References++
		}
		out.Occurrences = append(out.Occurrences, o)
	}
	written := map[string]bool{"": true}
	for i, name := range d.names {
		if !written[name] {
			written[name] = true
			out.Symbols = append(out.Symbols, information(r, int32(i), name, d.kin[i]))
		}
	}
	slices.SortFunc(out.Symbols, func(a, b *pb.SymbolInformation) int { return strings.Compare(a.Symbol, b.Symbol) })
	e.report.Ambiguous += len(d.doubts)
	e.report.Documents++
	e.report.Symbols += len(out.Symbols)
	return out
}

// decided returns the places in order without those that may mean methods of several types: SCIP
// has one meaning for each place, and the call graph has narrowed them to these. Where one of
// them is declared to be what is called, and the others run, that is the meaning.
func (d *document) decided() []place {
	several, declared := map[int]bool{}, map[int]bool{}
	for i := range d.places {
		p := &d.places[i]
		declared[p.offset] = declared[p.offset] || p.declared
		if i > 0 {
			last := &d.places[i-1]
			several[p.offset] = several[p.offset] || last.offset == p.offset && last.member != p.member && last.member != "" && p.member != ""
		}
	}
	return slices.DeleteFunc(d.places, func(p place) bool {
		if !several[p.offset] || p.member == "" || p.declared {
			return false
		}
		if !declared[p.offset] {
			d.doubts[p.offset] = true
		}
		return true
	})
}

// information is what is said of a symbol.
func information(r *store.Record, i int32, name string, kin []relation) *pb.SymbolInformation {
	s := &r.Symbols[i]
	info := &pb.SymbolInformation{
		Symbol: name, Kind: kinds[s.Kind()].kind, DisplayName: s.Name,
		SignatureDocumentation: &pb.Signature{Language: languageOf(r.Lang), Text: valid(r.SignatureOf(s))},
	}
	if doc := r.DocOf(s); doc != "" {
		info.Documentation = []string{valid(doc)}
	}
	for _, k := range kin {
		info.Relationships = append(info.Relationships, &pb.Relationship{Symbol: k.to, IsImplementation: true, IsReference: k.method})
	}
	return info
}

// valid makes a text one that a message can have: a cut may have left a part of a letter.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// lines are the offsets at which the lines of a text begin.
type lines []int

func linesOf(src []byte) lines {
	all := lines{0}
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return all
		}
		at += i + 1
		all = append(all, at)
	}
}

// between is the range from one offset to another.
func (l lines) between(start, end int) pb.Range {
	return pb.Range{Start: l.position(start), End: l.position(end)}
}

func (l lines) position(offset int) pb.Position {
	n := sort.SearchInts(l, offset+1) - 1
	return pb.Position{Line: int32(n), Character: int32(offset - l[n])}
}
