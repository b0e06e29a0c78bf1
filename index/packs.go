package index

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

	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/source"
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
	secKeys    = "keys"
	secObjects = "objects"
	packSuffix = ".pack"
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
	index *View
	log   *slog.Logger
	files []*packFile
	known map[uint64][]packed // by hash of the content
	old   []packed            // what the ingest has taken out
}

// packFile is one pack, opened when something of it is needed.
type packFile struct {
	path string
	mu   sync.Mutex
	file *snapshot.File
	bad  atomic.Bool
}

// packed is a file in a pack.
type packed struct {
	hash       uint64
	size       int64
	lang, path string
	sum        [sha256.Size]byte
	at, length uint64
	check      [sha256.Size]byte
	pack       *packFile

	object []byte // before it is written
	text   text   // as above
}

// openPacks reads which files the packs have; nil where there are to be none.
func (x *View) openPacks() *packs {
	if x.opt.CacheDir == "" {
		return nil
	}
	p := &packs{dir: x.opt.CacheDir, index: x, log: x.log, known: map[uint64][]packed{}}
	entries, err := os.ReadDir(p.dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			p.log.Warn("what other indexes keep is not used", "err", err)
		}
		return p
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), packSuffix) {
			continue
		}
		one := &packFile{path: filepath.Join(p.dir, e.Name())}
		keys, err := x.packKeys(one)
		switch {
		case errors.Is(err, snapshot.ErrDamaged):
			p.drop(one, err)
		case err != nil: // of another version or model, or gone
		default:
			p.files = append(p.files, one)
			for _, k := range keys {
				p.known[k.hash] = append(p.known[k.hash], k)
			}
		}
	}
	return p
}

// drop removes a pack that cannot be used.
func (p *packs) drop(one *packFile, why error) {
	p.log.Warn("a damaged pack is removed", "pack", one.path, "err", why)
	if err := os.Remove(one.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.log.Warn("a damaged pack is removed", "pack", one.path, "err", err)
	}
}

func (x *View) packKeys(one *packFile) (keys []packed, err error) {
	f, err := snapshot.Open(one.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r restored
	if err := x.fits(f, &r); err != nil {
		return nil, err
	}
	err = section(f, secKeys, func(d *snapshot.Decoder) {
		in := interned{}
		keys = make([]packed, d.Len(77))
		for i := range keys {
			k := &keys[i]
			k.hash, k.size, k.lang, k.path = d.Uint64(), d.Int(), in.string(d), d.String()
			copy(k.sum[:], d.Raw(sha256.Size))
			k.at, k.length, k.pack = d.Uint(), d.Uint(), one
			copy(k.check[:], d.Raw(sha256.Size))
		}
	})
	return keys, err
}

// find returns the record of a file as it would be parsed, and the vectors of those of
// its pieces that have one; nil where no pack has it.
func (p *packs) find(f source.File, src []byte, lang string) (*record, []vector.Code) {
	if p == nil || len(p.known) == 0 {
		return nil, nil
	}
	hash := xxhash.Sum64(src)
	var found []packed
	for _, k := range p.known[hash] {
		if k.size == int64(len(src)) && k.lang == lang {
			found = append(found, k)
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(found, func(a, b packed) int { // that of the same path first: it has the vectors
		return cmp.Compare(differs(a.path, f.Path), differs(b.path, f.Path))
	})
	sum := sha256.Sum256(src)
	for i := range found {
		k := &found[i]
		if k.sum != sum || k.pack.bad.Load() {
			continue
		}
		r, codes, err := p.index.unpack(k, f, src)
		if err == nil {
			return r, codes
		}
		if !k.pack.bad.Swap(true) {
			p.drop(k.pack, err)
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

// unpack makes a record of what a pack has of it.
func (x *View) unpack(k *packed, f source.File, src []byte) (*record, []vector.Code, error) {
	b, err := k.pack.part(k.at, k.length)
	if err != nil {
		return nil, nil, err
	}
	if sha256.Sum256(b) != k.check {
		return nil, nil, fmt.Errorf("%w: %s is not what was written", snapshot.ErrDamaged, k.path)
	}
	d := snapshot.NewDecoder(b)
	in := interned{}
	r := restoreHead(d, in)
	r.restoreParts(d, in)
	if r.hash != k.hash || r.size != k.size || r.lang != k.lang || r.path != k.path {
		d.Fail("%s is another file", k.path)
	}
	codes := make([]vector.Code, len(r.pieces))
	if x.dim > 0 {
		for i, code := range restoreCodes(d, len(r.pieces), x.dim) {
			codes[i] = code
		}
	}
	r.lowered = d.Raw(d.Len(1))
	if err := errors.Join(d.End(), r.lowered.fits(len(src))); err != nil {
		return nil, nil, err
	}
	if r.path != f.Path {
		codes = nil
	}
	r.path, r.modTime = f.Path, f.ModTime
	r.role, r.traits = source.RoleOf(f.Path), source.TraitsOf(f.Path)
	r.text = pack(src)
	return r, codes, nil
}

// part reads an object.
func (p *packFile) part(at, length uint64) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		f, err := snapshot.Open(p.path)
		if err != nil {
			return nil, err
		}
		p.file = f
		if info, err := os.Stat(p.path); err == nil && time.Since(info.ModTime()) > packUsed {
			now := time.Now()
			_ = os.Chtimes(p.path, now, now) // at worst it is taken for one that nobody uses
		}
	}
	return p.file.Part(secObjects, at, length)
}

// keep takes what an index has of a file before it is taken out, unless a pack has it.
// The caller holds the Index's lock.
func (p *packs) keep(r *record, vectors *vector.Store) {
	if p == nil {
		return
	}
	for _, k := range p.known[r.hash] {
		if k.size == r.size && k.lang == r.lang && k.path == r.path && !k.pack.bad.Load() {
			return
		}
	}
	var e snapshot.Encoder
	r.saveHead(&e)
	r.saveParts(&e)
	if vectors != nil {
		ids := make([]uint32, len(r.pieces))
		for i := range r.pieces {
			ids[i] = r.pieces[i].id
		}
		e.Raw(vectorBytes(vectors, ids))
	}
	e.Len(len(r.lowered))
	e.Raw(r.lowered)
	p.old = append(p.old, packed{hash: r.hash, size: r.size, lang: r.lang, path: r.path, object: e.Bytes(), text: r.text})
}

// close writes what was kept, where that is worth a pack, and closes the others.
func (p *packs) close() {
	if p == nil {
		return
	}
	for _, one := range p.files {
		if one.file != nil {
			_ = one.file.Close() // it was only read
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
	slices.SortFunc(p.old, func(a, b packed) int { return strings.Compare(a.path, b.path) })
	var keys, objects snapshot.Encoder
	keys.Len(len(p.old))
	for _, k := range p.old {
		sum := sha256.Sum256(k.text.all())
		keys.Uint64(k.hash)
		keys.Int(k.size)
		keys.String(k.lang)
		keys.String(k.path)
		keys.Raw(sum[:])
		keys.Len(len(objects.Bytes()))
		keys.Len(len(k.object))
		check := sha256.Sum256(k.object)
		keys.Raw(check[:])
		objects.Raw(k.object)
	}
	a := p.index.about()
	a.Files = len(p.old)
	meta, err := json.Marshal(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	name := fmt.Sprintf("%016x%s", xxhash.Sum64(append(meta, keys.Bytes()...)), packSuffix)
	w, err := snapshot.Create(filepath.Join(p.dir, name))
	if err != nil {
		return err
	}
	w.Add(secMeta, append(meta, '\n'))
	w.Pack(secKeys, keys.Bytes())
	w.Add(secObjects, objects.Bytes())
	return w.Commit()
}
