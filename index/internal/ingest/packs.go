package ingest

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/quarry-search/quarry/index/internal/persist"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/vector"
)

// A pack keeps what many files were parsed and embedded to that an ingest took out of
// an index, as the switch to another branch does: the way back, or the same switch in
// another root, finds them by their content. It is a file of the same kind as a
// snapshot, and never changes:
//
//	meta     JSON, as in a snapshot: files is how many there are
//	keys     of each: hash (64 bits), size, language and path; the SHA-256 of its
//	         text; where it begins in objects, its length and SHA-256
//	objects  of each: the record as in a snapshot, without a text; a bit for each chunk
//	         that has a vector, then the vectors; the length of what it was lowered
//	         to, and that
//
// The text is that of the file that is looked up. Symbols and chunks depend on its
// content and language alone and serve under any path; vectors depend on the path, too.
const (
	SecKeys    = "keys"
	SecObjects = "objects"
	PackSuffix = ".pack"
)

// packFiles is how many files an ingest must change or remove for a pack to be written,
// or bring for packs to be read: fewer are parsed sooner than a folder is searched.
const packFiles = 16

// packUsed is how old the time of a pack may be before its use is noted: it is what
// prune goes by.
const packUsed = time.Hour

// packs are those of a folder while an ingest runs. find may be called from several
// goroutines, and keep from one alongside them.
type packs struct {
	dir   string
	index *store.View
	log   *slog.Logger
	files []*PackFile
	known map[uint64][]Packed // by hash of the content
	old   []Packed            // what the ingest has taken out
}

// PackFile is one pack, opened when something of it is needed.
type PackFile struct {
	Path string
	mu   sync.Mutex
	File *snapshot.File
	bad  atomic.Bool
}

// Packed is a file in a pack.
type Packed struct {
	Hash       uint64
	Size       int64
	Lang, Path string
	sum        [sha256.Size]byte
	at, Length uint64
	Check      [sha256.Size]byte
	Pack       *PackFile

	object []byte     // before it is written
	text   store.Text // as above
}

// OpenPacks reads which files the packs have; nil where there are to be none.
func OpenPacks(x *store.View) *packs {
	if x.Opt.CacheDir == "" {
		return nil
	}
	p := &packs{dir: x.Opt.CacheDir, index: x, log: x.Log, known: map[uint64][]Packed{}}
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			p.log.Warn("what other indexes keep is not used", "err", err)
		}
		return p
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), PackSuffix) {
			continue
		}
		one := &PackFile{Path: filepath.Join(p.dir, e.Name())}
		keys, err := packKeys(x, one)
		switch {
		case errors.Is(err, snapshot.ErrDamaged):
			p.drop(one, err)
		case err != nil: // of another version or model, or gone
		default:
			p.files = append(p.files, one)
			for _, k := range keys {
				p.known[k.Hash] = append(p.known[k.Hash], k)
			}
		}
	}
	return p
}

// drop removes a pack that cannot be used.
func (p *packs) drop(one *PackFile, why error) {
	p.log.Warn("a damaged pack is removed", "pack", one.Path, "err", why)
	if err := os.Remove(one.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.log.Warn("a damaged pack is removed", "pack", one.Path, "err", err)
	}
}

func packKeys(x *store.View, one *PackFile) (keys []Packed, err error) {
	f, err := snapshot.Open(one.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r persist.Restored
	if err := persist.Fits(x, f, &r); err != nil {
		return nil, err
	}
	err = persist.Section(f, SecKeys, func(d *snapshot.Decoder) {
		in := persist.Interned{}
		keys = make([]Packed, d.Len(77))
		for i := range keys {
			k := &keys[i]
			k.Hash, k.Size, k.Lang, k.Path = d.Uint64(), d.Int(), in.String(d), d.String()
			copy(k.sum[:], d.Raw(sha256.Size))
			k.at, k.Length, k.Pack = d.Uint(), d.Uint(), one
			copy(k.Check[:], d.Raw(sha256.Size))
		}
	})
	return keys, err
}

// find returns the record of a file as it would be parsed, and the vectors of those of
// its pieces that have one; nil where no pack has it.
func (p *packs) find(f source.File, src []byte, lang string) (*store.Record, []vector.Code) {
	if p == nil || len(p.known) == 0 {
		return nil, nil
	}
	hash := xxhash.Sum64(src)
	var found []Packed
	for _, k := range p.known[hash] {
		if k.Size == int64(len(src)) && k.Lang == lang {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(found, func(a, b Packed) int { // that of the same path first: it has the vectors
		return cmp.Compare(differs(a.Path, f.Path), differs(b.Path, f.Path))
	})
	sum := sha256.Sum256(src)
	for i := range found {
		k := &found[i]
		if k.sum != sum || k.Pack.bad.Load() {
			continue
		}
		r, codes, err := Unpack(p.index, k, f, src)
		if err == nil {
			return r, codes
		}
		if !k.Pack.bad.Swap(true) {
			p.drop(k.Pack, err)
		}
	}
	return nil, nil
}

func differs(a, b string) int {
	if a == b {
		return 0
	}
	return 1
}

// Unpack makes a record of what a pack has of it.
func Unpack(x *store.View, k *Packed, f source.File, src []byte) (*store.Record, []vector.Code, error) {
	b, err := k.Pack.part(k.at, k.Length)
	if err != nil {
		return nil, nil, err
	}
	if sha256.Sum256(b) != k.Check {
		return nil, nil, fmt.Errorf("%w: %s is not what was written", snapshot.ErrDamaged, k.Path)
	}
	d := snapshot.NewDecoder(b)
	in := persist.Interned{}
	r := persist.RestoreHead(d, in)
	persist.RestoreParts(r, d, in)
	if r.Hash != k.Hash || r.Size != k.Size || r.Lang != k.Lang || r.Path != k.Path {
		d.Fail("%s is another file", k.Path)
	}
	codes := make([]vector.Code, len(r.Chunks))
	if x.Dim > 0 {
		for i, code := range persist.RestoreCodes(d, len(r.Chunks), &x.Vectors) {
			codes[i] = code
		}
	}
	r.Lowered = d.Raw(d.Len(1))
	if err := errors.Join(d.End(), r.Lowered.Fits(len(src))); err != nil {
		return nil, nil, err
	}
	if r.Path != f.Path {
		codes = nil
	}
	r.Path, r.ModTime = f.Path, f.ModTime
	r.Role, r.Traits = source.RoleOf(f.Path), source.TraitsOf(f.Path)
	r.Text = store.Pack(src, nil)
	return r, codes, nil
}

// part reads an object.
func (p *PackFile) part(at, length uint64) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.File == nil {
		f, err := snapshot.Open(p.Path)
		if err != nil {
			return nil, err
		}
		p.File = f
		if info, err := os.Stat(p.Path); err == nil && time.Since(info.ModTime()) > packUsed {
			now := time.Now()
			_ = os.Chtimes(p.Path, now, now) // at worst it is taken for one that nobody uses
		}
	}
	return p.File.Part(SecObjects, at, length)
}

// keep takes what an index has of a file before it is taken out, unless a pack has it.
// The caller holds the Index's lock.
func (p *packs) keep(r *store.Record, vectors *vector.Store) {
	if p == nil {
		return
	}
	for _, k := range p.known[r.Hash] {
		if k.Size == r.Size && k.Lang == r.Lang && k.Path == r.Path && !k.Pack.bad.Load() {
			return
		}
	}
	var e snapshot.Encoder
	persist.SaveHead(r, &e)
	persist.SaveParts(r, &e)
	if vectors != nil {
		ids := make([]uint32, len(r.Chunks))
		for i := range r.Chunks {
			ids[i] = r.Chunks[i].ID
		}
		e.Raw(persist.VectorBytes(vectors, ids))
	}
	e.Len(len(r.Lowered))
	e.Raw(r.Lowered)
	p.old = append(p.old, Packed{Hash: r.Hash, Size: r.Size, Lang: r.Lang, Path: r.Path, object: e.Bytes(), text: r.Text})
}

// Close writes what was kept, where that is worth a pack, and closes the others.
func (p *packs) Close() {
	if p == nil {
		return
	}
	for _, one := range p.files {
		if one.File != nil {
			_ = one.File.Close() // it was only read
		}
	}
	if len(p.old) < packFiles {
		return
	}
	if err := p.write(); err != nil {
		p.log.Warn("what was taken out of the index is not kept", "err", err)
	}
}

func (p *packs) write() error {
	slices.SortFunc(p.old, func(a, b Packed) int { return strings.Compare(a.Path, b.Path) })
	var keys, objects snapshot.Encoder
	keys.Len(len(p.old))
	for _, k := range p.old {
		sum := sha256.Sum256(k.text.All())
		keys.Uint64(k.Hash)
		keys.Int(k.Size)
		keys.String(k.Lang)
		keys.String(k.Path)
		keys.Raw(sum[:])
		keys.Len(len(objects.Bytes()))
		keys.Len(len(k.object))
		check := sha256.Sum256(k.object)
		keys.Raw(check[:])
		objects.Raw(k.object)
	}
	a := persist.About(p.index)
	a.Files = len(p.old)
	meta, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	name := fmt.Sprintf("%016x%s", xxhash.Sum64(append(meta, keys.Bytes()...)), PackSuffix)
	w, err := snapshot.Create(filepath.Join(p.dir, name))
	if err != nil {
		return err
	}
	w.Add(persist.SecMeta, append(meta, '\n'))
	w.Pack(SecKeys, keys.Bytes())
	w.Add(SecObjects, objects.Bytes())
	return w.Commit()
}
