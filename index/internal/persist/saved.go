// Package persist writes an index to files and reads it back: snapshots, deltas, and the
// encoding of a record that both and packs have. What it reads it never believes before
// it has compared it with hashes.
package persist

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

	"github.com/quarry-search/quarry/index/fault"
	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/secret"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// ContentVersion says what a snapshot's sections hold and how it was made of a file:
// symbols, chunks, words, what is lowered. Another one makes a snapshot useless.
// TestContentVersion fails where it should have grown.
const ContentVersion = 35

// The sections of a snapshot. Chunks are numbered by the path of their file and their
// place in it.
const (
	SecMeta    = "meta"    // JSON: about
	SecFiles   = "files"   // by path: hash, symbols, chunks; then the skipped files
	SecText    = "text"    // of each file the compressed blocks, the length of what it was lowered to, and that
	SecWords   = "words"   // package lexical
	SecVectors = "vectors" // a bit for each chunk that has one, then vector.Code of each
	SecGraph   = "graph"   // package graph; absent where it was behind
	SecLeftOut = "left"    // texts of files that are not indexed, where SaveOptions wants them
	SecSketch  = "sketch"  // some of the files, by which Similar knows a tree
	SecSCIP    = "scip"    // what SCIP indexes say, package scip; absent where they say nothing
	SecStat    = "stat"    // of this machine: times of files, the generation; absent in a portable snapshot
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
	Whole        bool   `json:"whole,omitempty"` // each chunk has its vector, or needs none
	Commit       string `json:"commit,omitempty"`
	Tree         string `json:"tree"`           // see digest
	Root         string `json:"root,omitempty"` // whose times the section stat has; empty in a portable snapshot
	Base         string `json:"base,omitempty"` // of a delta: the ID of its base, in hexadecimal

	Links map[string][]string `json:"links,omitempty"` // of a portable snapshot: what the links to files of Go in a folder lead to

	Program string `json:"program,omitempty"` // Options.Program of its maker
	By      string `json:"by,omitempty"`      // SaveOptions.By
	Made    int64  `json:"made,omitempty"`    // seconds since 1970; 0: not recorded
}

func About(x *store.View) about {
	a := about{
		Content: ContentVersion, Grammars: lang.All().Fingerprint(), Dim: x.Dim,
		MaxFileBytes: x.Opt.MaxFileBytes, MaxLineBytes: x.Opt.MaxLineBytes, Program: x.Opt.Program,
	}
	if !x.Opt.KeepSecrets {
		a.Masked = secret.Version
	}
	if x.Dim > 0 {
		info := x.Opt.Embedder.Info()
		a.Model = cmp.Or(info.SHA256, info.Name)
	}
	return a
}

// holds notes how much of an index is saved, which is all of it.
func (a *about) holds(x *store.View, files, chunks int) {
	a.Files, a.Chunks = files, chunks
	a.Whole = x.Counters.Embedded.Load() == int64(chunks)
}

// SaveOptions say what a snapshot has besides the index.
type SaveOptions struct {
	Portable bool
	Key      ed25519.PrivateKey // who signs it; nil: nobody
	By       string             // who made it, for people: a machine, a job; "": not recorded
	Made     time.Time          // when; zero: not recorded in a portable one, now in another
	LeftOut  bool               // with texts of files that are not indexed, for one without the folder
}

// Save writes a snapshot to a file, in place of what has its name. It returns the base
// that it is from then on; a portable one is none. The caller holds the writer's token.
func Save(x *store.View, path string, opt SaveOptions) (*Base, error) {
	if !x.Counters.Built.Load() {
		return nil, errors.New("index: there is no complete index to save")
	}
	w, err := snapshot.Create(path)
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if opt.Key != nil {
		w.Sign(opt.Key)
	}
	if err := write(x, w, opt); err != nil {
		w.Abort()
		return nil, fmt.Errorf("index: %w", err)
	}
	if err := w.Commit(); err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	if opt.Portable {
		return nil, nil
	}
	b := newBase(w.ID(), true, x.Table, x.Table.Below(""), nil)
	b.facts = x.Facts.Load()
	return b, nil
}

// write writes all sections. Only the holder of the writer's token changes the table,
// so that reading it needs no lock.
func write(x *store.View, w *snapshot.Writer, opt SaveOptions) error {
	t := x.Table
	records := t.Below("")
	ids := make([]uint32, 0, t.Words.Len())
	for _, r := range records {
		for i := range r.Chunks {
			ids = append(ids, r.Chunks[i].ID)
		}
	}
	a := About(x)
	a.holds(x, len(records), len(ids))
	if commit := x.Counters.Commit.Load(); commit != nil {
		a.Commit = *commit
	}
	a.Tree = digest(t.Files, t.Skips)
	a.By = opt.By
	if !opt.Portable {
		a.Root, a.Made = x.Tree.Root(), time.Now().Unix()
	} else {
		a.Links = linksOf(x)
	}
	if !opt.Made.IsZero() {
		a.Made = opt.Made.Unix()
	}
	meta, err := json.Marshal(a)
	if err != nil {
		return err
	}
	w.Add(SecMeta, append(meta, '\n'))
	w.Add(SecSketch, sketch(records))

	saveRecords(t, w, records)
	var words snapshot.Encoder
	t.Words.Save(&words, ids)
	w.Pack(SecWords, words.Bytes())
	if t.Vectors != nil {
		w.Stream(SecVectors, vectorParts(t.Vectors, ids))
	}
	if b := x.Graph.Bytes(); b != nil {
		w.Pack(SecGraph, b)
	}
	if facts := x.Facts.Load(); facts != nil {
		var e snapshot.Encoder
		facts.Save(&e)
		w.Pack(SecSCIP, e.Bytes())
	}
	if texts := leftOut(x, opt); texts != nil { // else the snapshot is the same as without
		w.Pack(SecLeftOut, texts)
	}
	if opt.Portable {
		return nil
	}
	w.Pack(SecStat, statBytes(x, records))
	return nil
}

// streamBytes is about how much of a section that is written in parts is in memory: of
// 100,000 files the text takes 400 MB, compressed.
const streamBytes = 1 << 20

// saveRecords writes the sections of the files and of their text.
func saveRecords(t *store.Table, w *snapshot.Writer, records []*store.Record) {
	var files, text snapshot.Encoder
	files.Len(len(records))
	w.Stream(SecText, func(yield func([]byte) bool) {
		for _, r := range records {
			saveRecord(r, &files, &text)
			if len(text.Bytes()) >= streamBytes {
				if !yield(text.Bytes()) {
					return
				}
				text.Reset()
			}
		}
		yield(text.Bytes())
	})
	saveSkips(t, &files)
	w.Pack(SecFiles, files.Bytes())
}

// saveSkips writes the files that are not indexed.
func saveSkips(t *store.Table, e *snapshot.Encoder) {
	skips := slices.SortedFunc(maps.Values(t.Skips), func(a, b source.Skip) int { return strings.Compare(a.Path, b.Path) })
	e.Len(len(skips))
	for _, s := range skips {
		e.String(s.Path)
		e.String(string(s.Reason))
		e.String(s.Detail)
	}
}

// VectorBytes are the section of the vectors of some chunks.
func VectorBytes(vectors *vector.Store, ids []uint32) []byte {
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
func statBytes(x *store.View, records []*store.Record) []byte {
	var e snapshot.Encoder
	e.Uint(x.Counters.Generation.Load())
	e.Int(x.Counters.IndexedAt.Load())
	e.Int(x.Counters.Seconds.Load())
	var modTime, readAt int64
	for _, r := range records {
		e.Int(r.ModTime - modTime)
		at := r.ReadAt.Load()
		e.Int(at - readAt)
		modTime, readAt = r.ModTime, at
	}
	return e.Bytes()
}

// saveRecord writes a record: all but its times and what comes from its path and its chunks.
func saveRecord(r *store.Record, e, text *snapshot.Encoder) {
	SaveHead(r, e)
	for _, b := range r.Text.Blocks {
		e.Len(len(b))
		text.Raw(b)
	}
	text.Len(len(r.Lowered))
	text.Raw(r.Lowered)
	SaveParts(r, e)
}

// SaveHead writes what comes before the blocks of the text.
func SaveHead(r *store.Record, e *snapshot.Encoder) {
	e.String(r.Path)
	e.Int(r.Size)
	e.Uint64(r.Hash)
	e.String(r.Lang)
	e.Bool(r.Grammar)
	e.Bool(r.Errors)
	e.Uint(uint64(r.Fault))
	e.Len(r.Refs)
	e.Len(r.Code)
	e.Float64(r.Abstract)
	e.Len(r.Text.Size)
}

// SaveParts writes the symbols and the chunks.
func SaveParts(r *store.Record, e *snapshot.Encoder) {
	e.Len(len(r.Symbols))
	for i := range r.Symbols {
		saveSymbol(&r.Symbols[i], e)
	}
	e.Len(len(r.Chunks))
	for i := range r.Chunks {
		p := &r.Chunks[i]
		for _, n := range [...]uint32{p.Start, p.End, p.Lead, p.Line, p.Last} {
			e.Uint(uint64(n))
		}
		e.Int(int64(p.Symbol))
		e.Bool(p.Defines)
		e.Bool(p.Head)
		e.Uint64(p.Hash)
	}
}

func saveSymbol(s *store.Symbol, e *snapshot.Encoder) {
	e.String(s.Name)
	e.String(s.Parent)
	e.String(s.Signature)
	e.String(string(s.Kind()))
	for _, n := range [...]uint32{s.Start, s.End, s.DocAt, s.DocTo, s.Line, s.Last, s.NameLine} {
		e.Uint(uint64(n))
	}
	e.Bool(s.Exported)
}

// digest identifies the files of a tree, whatever their times are: by path, the hash of
// what is indexed and the reason of what is not.
func digest(files map[string]*store.Record, skips map[string]source.Skip) string {
	lines := make([]string, 0, len(files)+len(skips))
	for path, r := range files {
		lines = append(lines, fmt.Sprintf("%s\x00%016x\n", path, r.Hash))
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
func Matches(ctx context.Context, x *store.View, path string, keys ...ed25519.PublicKey) (bool, error) {
	f, err := openTrusted(path, keys)
	if err != nil {
		return false, distrusted(err, keys)
	}
	defer f.Close()
	var r Restored
	if err := errors.Join(f.Verify(), Fits(x, f, &r)); err != nil {
		return false, distrusted(fmt.Errorf("%s: %w", path, err), keys)
	}
	x.Tree.Refresh()
	found, left, err := x.Tree.Walk(ctx)
	if err != nil {
		return false, fmt.Errorf("index: %w", err)
	}
	files := make(map[string]*store.Record, len(found))
	skips := make(map[string]source.Skip, len(left))
	for _, s := range left {
		skips[s.Path] = s
	}
	var mu sync.Mutex
	var group fault.ErrGroup
	group.SetLimit(x.Opt.Workers)
	for _, one := range found {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			src, skip, err := x.Tree.Read(one)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				skips[one.Path] = source.Skip{Path: one.Path, Reason: source.Unreadable}
			case skip != nil:
				skips[one.Path] = *skip
			default:
				files[one.Path] = &store.Record{Hash: xxhash.Sum64(src)}
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
