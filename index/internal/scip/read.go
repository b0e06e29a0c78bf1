package scip

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	pb "github.com/scip-code/scip/bindings/go/scip"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/quarry-search/quarry/index/fault"
)

// Bounds of what is read. A file of SCIP is somebody else's.
const (
	maxFile     = 1 << 30  // bytes of a file
	maxDocument = 64 << 20 // bytes of a document, with its text
	maxPart     = 1 << 20  // bytes of an occurrence
	maxSymbol   = 4 << 10  // bytes of a symbol's name; one that is longer is left out
)

// ErrFormat says that a file is no SCIP index, or one that cannot be read.
var ErrFormat = errors.New("not a SCIP index")

// A Text is the text of a file as it is indexed.
type Text struct {
	Src     []byte
	Hash    uint64    // XXH64 of it
	ModTime time.Time // of the file
}

// Reasons for which a document is not taken.
const (
	OutsideRoot = "outside_root" // its path is not one below the root
	NotIndexed  = "not_indexed"  // there is no such file in the index
	Newer       = "newer"        // the file was written after the SCIP index
	OtherText   = "other_text"   // the document has a text, and the file another one
	OtherPlace  = "other_place"  // an occurrence cuts a word, or does not lie in the text, or a definition is not spelled as its symbol
	Encoding    = "encoding"     // it does not say in what its columns are counted, and that makes a difference
	Twice       = "twice"        // another document of the file was taken
)

// A Report says what became of documents.
type Report struct {
	Documents int            `json:"documents"`
	Taken     int            `json:"taken"`
	Names     int            `json:"names"` // occurrences of those that were taken, as far as they are of use
	Left      map[string]int `json:"left"`  // documents that were not taken, by the reason; never nil
}

// A Reader collects facts from SCIP indexes.
type Reader struct {
	root    string
	text    func(path string) (Text, bool)
	facts   *Facts
	numbers map[string]uint32 // of global symbols
	details []detail          // of the symbols
	seen    map[string]bool   // files that were taken
	defined map[uint32]bool   // the symbols that these define
	report  Report
}

// A detail is what only reading needs of a symbol.
type detail struct {
	space   bool   // it is a namespace, or its name is none that a text spells
	display string // another way to spell it
	pkg     string // the manager and the name of the package that it is of
}

// NewReader returns one for the files of a root, whose texts it asks for by their paths
// relative to it, with slashes.
func NewReader(root string, text func(path string) (Text, bool)) *Reader {
	return &Reader{
		root: root, text: text, facts: &Facts{}, numbers: map[string]uint32{}, seen: map[string]bool{}, defined: map[uint32]bool{}, report: Report{Left: map[string]int{}},
	}
}

// Facts returns what has been read. The Reader is of no use after that.
func (r *Reader) Facts() (*Facts, Report) {
	slices.SortFunc(r.facts.files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	own := map[string]bool{} // packages of which something is defined
	for n := range r.defined {
		own[r.details[n].pkg] = true
	}
	for i := range r.facts.symbols {
		s := &r.facts.symbols[i]
		slices.Sort(s.by)
		s.by = slices.Compact(s.by)
		if !s.local && !r.defined[uint32(i)] && own[r.details[i].pkg] {
			s.elsewhere = true // in code that the indexer has left out: for another system
		}
	}
	r.facts.index()
	return r.facts, r.report
}

// Read reads an index that was written at some time. It gives ErrFormat for what is none; what
// was read until then counts.
func (r *Reader) Read(ctx context.Context, in io.Reader, made time.Time) error {
	limited := &io.LimitedReader{R: in, N: maxFile + 1}
	b := bufio.NewReaderSize(limited, 1<<16)
	prefix := ""
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		field, data, err := message(b)
		switch {
		case err == io.EOF:
			return nil
		case limited.N <= 0:
			return fmt.Errorf("%w: it has more than %d MiB", ErrFormat, maxFile>>20)
		case err != nil:
			return err
		}
		switch field {
		case 1:
			prefix, err = r.metadata(data)
		case 2:
			err = r.document(data, prefix, made)
		case 3:
			_, err = r.information(data, nil)
		}
		if err != nil {
			return err
		}
	}
}

// message reads a field of the index. data is nil for one that is none of its messages. The
// error is io.EOF at the end.
func message(b *bufio.Reader) (field uint64, data []byte, err error) {
	tag, err := binary.ReadUvarint(b)
	if err == io.EOF {
		return 0, nil, err
	}
	if err != nil {
		return 0, nil, damaged(err)
	}
	if tag>>3 == 0 || tag>>3 > 1<<29-1 {
		return 0, nil, fmt.Errorf("%w: field %d", ErrFormat, tag>>3)
	}
	field = tag >> 3
	n := uint64(0)
	switch kind := protowire.Type(tag & 7); kind {
	case protowire.VarintType:
		_, err = binary.ReadUvarint(b)
	case protowire.Fixed32Type:
		n = 4
	case protowire.Fixed64Type:
		n = 8
	case protowire.BytesType:
		n, err = binary.ReadUvarint(b)
	default:
		return 0, nil, fmt.Errorf("%w: field %d is of type %d", ErrFormat, field, kind)
	}
	switch {
	case err != nil:
		return 0, nil, damaged(err)
	case n > maxDocument:
		return 0, nil, fmt.Errorf("%w: a part of %d bytes, and %d are allowed", ErrFormat, n, maxDocument)
	case field > 3 || protowire.Type(tag&7) != protowire.BytesType:
		_, err = b.Discard(int(n))
		return 0, nil, damaged(err)
	}
	data, err = io.ReadAll(io.LimitReader(b, int64(n))) // grows with what is there, whatever n says
	if err == nil && uint64(len(data)) < n {
		err = io.ErrUnexpectedEOF
	}
	return field, data, damaged(err)
}

// damaged makes the error for bytes that are no message.
func damaged(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it ends within a part", ErrFormat)
	}
	return fmt.Errorf("%w: %w", ErrFormat, err)
}

// fields calls yield for the fields of a message: with the bytes of one that has some, or the
// number of one that is a number.
func fields(data []byte, yield func(field protowire.Number, bytes []byte, number uint64) error) error {
	for len(data) > 0 {
		field, kind, n := protowire.ConsumeTag(data)
		if n < 0 {
			return damaged(protowire.ParseError(n))
		}
		data = data[n:]
		var err error
		switch kind {
		case protowire.BytesType:
			v, k := protowire.ConsumeBytes(data)
			if n = k; n >= 0 {
				err = yield(field, v, 0)
			}
		case protowire.VarintType:
			v, k := protowire.ConsumeVarint(data)
			if n = k; n >= 0 {
				err = yield(field, nil, v)
			}
		default:
			n = protowire.ConsumeFieldValue(field, kind, data)
		}
		if n < 0 {
			return damaged(protowire.ParseError(n))
		}
		if err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// Tool is the name by which this program writes SCIP indexes. What it guessed must not come back
// as what a compiler knows.
const Tool = "quarry"

// metadata returns the folder below the root that the paths of the documents begin at; "" where
// the index says nothing of it, or was made on another machine.
func (r *Reader) metadata(data []byte) (prefix string, err error) {
	root := ""
	err = fields(data, func(field protowire.Number, bytes []byte, _ uint64) error {
		switch field {
		case 2:
			return fields(bytes, func(field protowire.Number, bytes []byte, _ uint64) error {
				if field == 1 && string(bytes) == Tool {
					return fmt.Errorf("%w of a compiler: it has what Quarry has found, and brings nothing that it does not know", ErrFormat)
				}
				return nil
			})
		case 3:
			root = short(bytes)
		}
		return nil
	})
	u, bad := url.Parse(root)
	if err != nil || bad != nil || u.Scheme != "file" {
		return "", err
	}
	rel, bad := filepath.Rel(r.root, filepath.FromSlash(u.Path))
	if bad != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", nil
	}
	return filepath.ToSlash(rel), nil
}

// plain reports whether a path may be that of a file below a folder.
func plain(name string) bool {
	return name != "" && name != "." && path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsAny(name, "\x00\\")
}

// symbol returns the number of a global symbol.
func (r *Reader) symbol(name string) uint32 {
	n, ok := r.numbers[name]
	if !ok {
		n = uint32(len(r.facts.symbols))
		r.numbers[name] = n
		s, d := describe(name)
		r.facts.symbols = append(r.facts.symbols, s)
		r.details = append(r.details, d)
	}
	return n
}

// describe takes a global symbol apart.
func describe(name string) (symbol, detail) {
	var parsed *pb.Symbol
	err := fault.Caught(func() (err error) { // of names that were made up: the parser does not stop at their ends
		parsed, err = pb.ParseSymbol(name)
		return err
	})
	if err != nil || len(parsed.Descriptors) == 0 {
		return symbol{}, detail{space: true}
	}
	last := parsed.Descriptors[len(parsed.Descriptors)-1]
	var parts []string
	for _, d := range parsed.Descriptors {
		parts = append(parts, d.Name)
	}
	s := symbol{name: last.Name, path: strings.Join(parts, ".")}
	pkg := parsed.Package.GetManager() + " " + parsed.Package.GetName()
	return s, detail{pkg: pkg, space: last.Suffix == pb.Descriptor_Namespace || last.Suffix == pb.Descriptor_Meta || !isWord(last.Name)}
}

// information takes what is said of a symbol: how it is spelled, and what it implements. It
// returns its name.
func (r *Reader) information(data []byte, local map[string]uint32) (name string, err error) {
	display := ""
	var implemented []string
	err = fields(data, func(field protowire.Number, bytes []byte, _ uint64) error {
		switch field {
		case 1:
			name = short(bytes)
		case 4:
			of, implements := "", false
			err := fields(bytes, func(field protowire.Number, bytes []byte, number uint64) error {
				switch field {
				case 1:
					of = short(bytes)
				case 3:
					implements = number != 0
				}
				return nil
			})
			if err != nil {
				return err
			}
			if implements {
				implemented = append(implemented, of)
			}
		case 6:
			display = short(bytes)
		}
		return nil
	})
	if err != nil || name == "" || pb.IsLocalSymbol(name) {
		return name, err
	}
	n := r.symbol(name)
	r.details[n].display = display
	for _, of := range implemented {
		if of != "" && of != name && pb.IsGlobalSymbol(of) {
			to := r.symbol(of)
			r.facts.symbols[to].by = append(r.facts.symbols[to].by, n)
		}
	}
	return name, nil
}

// short is a name that is not too long, or "".
func short(name []byte) string {
	if len(name) > maxSymbol {
		return ""
	}
	return string(name)
}

// occurrence reads an occurrence into o.
func occurrence(data []byte, o *pb.Occurrence) error {
	if len(data) > maxPart {
		return fmt.Errorf("%w: an occurrence of %d bytes, and %d are allowed", ErrFormat, len(data), maxPart)
	}
	proto.Reset(o)
	if err := (proto.UnmarshalOptions{DiscardUnknown: true, RecursionLimit: 32}).Unmarshal(data, o); err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return nil
}
