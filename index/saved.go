package index

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/secret"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// contentVersion says what a snapshot's sections hold and how it was made of a file:
// symbols, chunks, words, what is lowered. Another one makes a snapshot useless.
// TestContentVersion fails where it should have grown.
const contentVersion = 5

// The sections of a snapshot. Chunks are numbered by the path of their file and their
// place in it.
const (
	secMeta    = "meta"    // JSON: about
	secFiles   = "files"   // by path: hash, symbols, chunks; then the skipped files
	secText    = "text"    // of each file the compressed blocks, the length of what it was lowered to, and that
	secWords   = "words"   // package lexical
	secVectors = "vectors" // a bit for each chunk that has one, then vector.Code of each
	secGraph   = "graph"   // package graph; absent where it was behind
	secSketch  = "sketch"  // some of the files, by which Similar knows a tree
	secStat    = "stat"    // of this machine: times of files, the generation; absent in a portable snapshot
)

// about says what made a snapshot.
type about struct {
	Content      int    `json:"content"`
	Grammars     string `json:"grammars"`
	Model        string `json:"model,omitempty"` // its SHA-256; empty: no vectors
	Dim          int    `json:"dim,omitempty"`
	MaxFileBytes int64  `json:"max_file_bytes"`
	MaxLineBytes int    `json:"max_line_bytes"`
	Masked       int    `json:"masked,omitempty"` // secret.Version; 0: secrets were kept
	Files        int    `json:"files"`
	Chunks       int    `json:"chunks"`
	Commit       string `json:"commit,omitempty"`
	Tree         string `json:"tree"`           // see digest
	Root         string `json:"root,omitempty"` // whose times the section stat has; empty in a portable snapshot
	Base         string `json:"base,omitempty"` // of a delta: the ID of its base, in hexadecimal

	Program string `json:"program,omitempty"` // Options.Program of its maker
	By      string `json:"by,omitempty"`      // SaveOptions.By
	Made    int64  `json:"made,omitempty"`    // seconds since 1970; 0: not recorded
}

func (x *View) about() about {
	a := about{
		Content: contentVersion, Grammars: syntax.Fingerprint(), Dim: x.dim,
		MaxFileBytes: x.opt.MaxFileBytes, MaxLineBytes: x.opt.MaxLineBytes, Program: x.opt.Program,
	}
	if !x.opt.KeepSecrets {
		a.Masked = secret.Version
	}
	if x.dim > 0 {
		info := x.opt.Embedder.Info()
		a.Model = cmp.Or(info.SHA256, info.Name)
	}
	return a
}

// SaveOptions say what a snapshot has besides the index.
type SaveOptions struct {
	Portable bool
	Key      ed25519.PrivateKey // who signs it; nil: nobody
	By       string             // who made it, for people: a machine, a job; "": not recorded
	Made     time.Time          // when; zero: not recorded in a portable one, now in another
}

// save writes a snapshot to a file, in place of what has its name. It returns the base
// that it is from then on; a portable one is none. The caller holds the writer's token.
func (x *View) save(path string, opt SaveOptions) (*base, error) {
	if !x.state.built.Load() {
		return nil, errors.New("index: there is no complete index to save")
	}
	w, err := snapshot.Create(path)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if opt.Key != nil {
		w.Sign(opt.Key)
	}
	if err := x.write(w, opt); err != nil {
		w.Abort()
		return nil, fmt.Errorf("index: %w", err)
	}
	if err := w.Commit(); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if opt.Portable {
		return nil, nil
	}
	return newBase(w.ID(), true, x.table.below(""), nil), nil
}

// write writes all sections. Only the holder of the writer's token changes the table,
// so that reading it needs no lock.
func (x *View) write(w *snapshot.Writer, opt SaveOptions) error {
	t := x.table
	records := t.below("")
	ids := make([]uint32, 0, t.words.Len())
	for _, r := range records {
		for i := range r.pieces {
			ids = append(ids, r.pieces[i].id)
		}
	}
	a := x.about()
	a.Files, a.Chunks = len(records), len(ids)
	if commit := x.state.commit.Load(); commit != nil {
		a.Commit = *commit
	}
	a.Tree = digest(t.files, t.skips)
	a.By = opt.By
	if !opt.Portable {
		a.Root, a.Made = x.tree.Root(), time.Now().Unix()
	}
	if !opt.Made.IsZero() {
		a.Made = opt.Made.Unix()
	}
	meta, err := json.Marshal(a)
	if err != nil {
		return err
	}
	w.Add(secMeta, append(meta, '\n'))
	w.Add(secSketch, sketch(records))

	t.saveRecords(w, records)
	var words snapshot.Encoder
	t.words.Save(&words, ids)
	w.Pack(secWords, words.Bytes())
	if t.vectors != nil {
		w.Stream(secVectors, vectorParts(t.vectors, ids))
	}
	if b := x.calls.bytes(); b != nil {
		w.Pack(secGraph, b)
	}
	if opt.Portable {
		return nil
	}
	w.Pack(secStat, x.statBytes(records))
	return nil
}

// streamBytes is about how much of a section that is written in parts is in memory: of
// 100,000 files the text takes 400 MB, compressed.
const streamBytes = 1 << 20

// saveRecords writes the sections of the files and of their text.
func (t *table) saveRecords(w *snapshot.Writer, records []*record) {
	var files, text snapshot.Encoder
	files.Len(len(records))
	w.Stream(secText, func(yield func([]byte) bool) {
		for _, r := range records {
			r.save(&files, &text)
			if len(text.Bytes()) >= streamBytes {
				if !yield(text.Bytes()) {
					return
				}
				text.Reset()
			}
		}
		yield(text.Bytes())
	})
	t.saveSkips(&files)
	w.Pack(secFiles, files.Bytes())
}

// saveSkips writes the files that are not indexed.
func (t *table) saveSkips(e *snapshot.Encoder) {
	skips := slices.SortedFunc(maps.Values(t.skips), func(a, b source.Skip) int { return strings.Compare(a.Path, b.Path) })
	e.Len(len(skips))
	for _, s := range skips {
		e.String(s.Path)
		e.String(string(s.Reason))
		e.String(s.Detail)
	}
}

// vectorBytes are the section of the vectors of some chunks.
func vectorBytes(vectors *vector.Store, ids []uint32) []byte {
	return slices.Concat(slices.Collect(vectorParts(vectors, ids))...)
}

// vectorParts are the parts of that section: the bits, and then codes.
func vectorParts(vectors *vector.Store, ids []uint32) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		bits := make([]byte, (len(ids)+7)/8)
		for i, id := range ids {
			if vectors.Has(id) {
				bits[i/8] |= 1 << (i % 8)
			}
		}
		if !yield(bits) {
			return
		}
		var out []byte
		for _, id := range ids {
			if out = vectors.AppendCode(out, id); len(out) >= streamBytes {
				if !yield(out) {
					return
				}
				out = nil
			}
		}
		yield(out)
	}
}

// statBytes are the section of the times of files; those of files that follow each
// other by path are close.
func (x *View) statBytes(records []*record) []byte {
	var e snapshot.Encoder
	e.Uint(x.state.generation.Load())
	e.Int(x.state.indexedAt.Load())
	e.Int(x.state.seconds.Load())
	var modTime, readAt int64
	for _, r := range records {
		e.Int(r.modTime - modTime)
		at := r.readAt.Load()
		e.Int(at - readAt)
		modTime, readAt = r.modTime, at
	}
	return e.Bytes()
}

// save writes a record: all but its times and what comes from its path and its chunks.
func (r *record) save(e, text *snapshot.Encoder) {
	r.saveHead(e)
	for _, b := range r.text.blocks {
		e.Len(len(b))
		text.Raw(b)
	}
	text.Len(len(r.lowered))
	text.Raw(r.lowered)
	r.saveParts(e)
}

// saveHead writes what comes before the blocks of the text.
func (r *record) saveHead(e *snapshot.Encoder) {
	e.String(r.path)
	e.Int(r.size)
	e.Uint64(r.hash)
	e.String(r.lang)
	e.Bool(r.grammar)
	e.Bool(r.errors)
	e.Uint(uint64(r.fault))
	e.Len(r.refs)
	e.Len(r.code)
	e.Float64(r.abstract)
	e.Len(r.text.size)
}

// saveParts writes the symbols and the chunks.
func (r *record) saveParts(e *snapshot.Encoder) {
	e.Len(len(r.symbols))
	for i := range r.symbols {
		r.symbols[i].save(e)
	}
	e.Len(len(r.pieces))
	for i := range r.pieces {
		p := &r.pieces[i]
		for _, n := range [...]uint32{p.start, p.end, p.lead, p.line, p.last} {
			e.Uint(uint64(n))
		}
		e.Int(int64(p.symbol))
		e.Bool(p.defines)
		e.Bool(p.head)
		e.Uint64(p.hash)
	}
}

func (s *symbol) save(e *snapshot.Encoder) {
	e.String(s.name)
	e.String(s.parent)
	e.String(s.signature)
	e.String(string(s.kind()))
	for _, n := range [...]uint32{s.start, s.end, s.docAt, s.docTo, s.line, s.last, s.nameLine} {
		e.Uint(uint64(n))
	}
	e.Bool(s.exported)
}

// digest identifies the files of a tree, whatever their times are: by path, the hash of
// what is indexed and the reason of what is not.
func digest(files map[string]*record, skips map[string]source.Skip) string {
	lines := make([]string, 0, len(files)+len(skips))
	for path, r := range files {
		lines = append(lines, fmt.Sprintf("%s\x00%016x\n", path, r.hash))
	}
	for path, s := range skips {
		lines = append(lines, fmt.Sprintf("%s\x00%s\n", path, s.Reason))
	}
	slices.Sort(lines)
	h := xxhash.New()
	for _, l := range lines {
		_, _ = h.WriteString(l)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// Matches reports whether a snapshot holds exactly the root's files as they are, and
// could be restored: it says so of itself, and is what was written. It reads every file,
// and of the snapshot no more than its hashes need. The index is not looked at. keys are
// as in RestoreOptions. A file that does not exist gives fs.ErrNotExist, a snapshot that
// could not be used ErrSnapshot or ErrUntrusted.
func (x *View) Matches(ctx context.Context, path string, keys ...ed25519.PublicKey) (bool, error) {
	f, err := openTrusted(path, keys)
	if err != nil {
		return false, distrusted(err, keys)
	}
	defer f.Close()
	var r restored
	if err := errors.Join(f.Verify(), x.fits(f, &r)); err != nil {
		return false, distrusted(fmt.Errorf("%s: %w", path, err), keys)
	}
	x.tree.Refresh()
	found, left, err := x.tree.Walk(ctx)
	if err != nil {
		return false, fmt.Errorf("index: %w", err)
	}
	files := make(map[string]*record, len(found))
	skips := make(map[string]source.Skip, len(left))
	for _, s := range left {
		skips[s.Path] = s
	}
	var mu sync.Mutex
	var group crew
	group.SetLimit(x.opt.Workers)
	for _, one := range found {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			src, skip, err := x.tree.Read(one)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				skips[one.Path] = source.Skip{Path: one.Path, Reason: source.Unreadable}
			case skip != nil:
				skips[one.Path] = *skip
			default:
				files[one.Path] = &record{hash: xxhash.Sum64(src)}
			}
			return nil
		})
	}
	_ = group.Wait() // there are no errors
	if err := ctx.Err(); err != nil {
		return false, err
	}
	return digest(files, skips) == r.about.Tree, nil
}
