package snapshot

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"runtime/metrics"
	"testing"
)

// FuzzTable has anything stand in the table of a snapshot whose hashes are right: no
// section lies outside, and what is read of it takes memory in proportion to its length.
func FuzzTable(f *testing.F) {
	entry := func(at, length, whole uint64, packing uint32) []byte {
		b := make([]byte, entryLength)
		copy(b, "a")
		binary.LittleEndian.PutUint64(b[16:], at)
		binary.LittleEndian.PutUint64(b[24:], length)
		binary.LittleEndian.PutUint64(b[32:], whole)
		binary.LittleEndian.PutUint32(b[40:], packing)
		return b
	}
	// 64 KiB of zeros, as zstd packs them.
	bomb := []byte("\x28\xb5\x2f\xfd\xa4\x00\x00\x01\x00\x4d\x00\x00\x10\x00\x00\x01\x00\xfb\xff\x39\xc0\x02\x02\x00\x10\x00")
	f.Add(entry(headLength, 3, 3, plain), []byte("abc"))
	f.Add(entry(headLength, uint64(len(bomb)), 1<<16, packed), bomb)
	f.Add(entry(headLength, 1<<63, 1<<63, plain), []byte("abc"))
	f.Add(entry(0, headLength, 1<<40, packed), []byte{})
	f.Add(entry(headLength, 3, 48, packed), []byte("abc"))
	f.Add(append(entry(headLength, 3, 3, plain), entry(headLength, 3, 3, plain)...), []byte("abc")) // one within the other
	f.Add(bytes.Repeat(entry(headLength, 3, 60_000, packed), maxSections+1), []byte("abc"))
	f.Fuzz(func(t *testing.T, table, body []byte) {
		if len(body) > 1<<16 {
			return
		}
		b := append(make([]byte, headLength), body...)
		copy(b, magic)
		le := binary.LittleEndian
		le.PutUint32(b[8:], Version)
		count := min(len(table)/entryLength, maxSections)
		le.PutUint32(b[12:], uint32(count))
		le.PutUint64(b[16:], uint64(len(b)))
		copy(b[tableAt:headLength], table[:count*entryLength])
		for i := range count {
			e := b[tableAt+i*entryLength:]
			if at, n := le.Uint64(e[16:]), le.Uint64(e[24:]); at <= uint64(len(b)) && n <= uint64(len(b))-at {
				sum := sha256.Sum256(b[at : at+n])
				copy(e[48:], sum[:])
			}
		}
		root := rootOf(b, count)
		copy(b[rootAt:], root[:])
		s, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		for _, e := range s.entries {
			before := allocated()
			got, err := s.Section(e.name)
			if err != nil && !errors.Is(err, ErrDamaged) || len(got) > maxPacking*len(b) {
				t.Fatalf("%d bytes of %d, %v", len(got), len(b), err)
			}
			if used := allocated() - before; used > uint64(16<<20+3*maxPacking*len(b)) {
				t.Errorf("section %q of %d bytes takes %d bytes", e.name, len(b), used)
			}
			if part, err := s.Part(e.name, e.at, e.length); err == nil && uint64(len(part)) != e.length {
				t.Errorf("a part of %d bytes has %d", e.length, len(part))
			}
		}
	})
}

// allocated returns how many bytes the process has allocated since it began.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}
