// Package intern keeps things once and gives them numbers: strings, sequences, and what
// has a key.
package intern

// A Table finds numbered things by their keys: an open hash table of four bytes a
// slot next to the slice that holds the things and their keys. A map would hold every
// key twice.
type Table struct {
	slots []uint32 // numbers at their hashes; 0: empty
	count int
}

// Find returns the number of the thing for which same holds, or 0.
func (t *Table) Find(hash uint64, same func(n uint32) bool) uint32 {
	if len(t.slots) == 0 {
		return 0
	}
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; t.slots[at] != 0; at = (at + 1) & mask {
		if same(t.slots[at]) {
			return t.slots[at]
		}
	}
	return 0
}

// Add enters a number that is not there. hash gives that of any number.
func (t *Table) Add(n uint32, hash func(n uint32) uint64) {
	if t.count*4 >= len(t.slots)*3 {
		old := t.slots
		t.slots = make([]uint32, max(64, len(old)*2))
		for _, o := range old {
			if o != 0 {
				t.put(o, hash(o))
			}
		}
	}
	t.put(n, hash(n))
	t.count++
}

func (t *Table) put(n uint32, hash uint64) {
	mask := uint64(len(t.slots) - 1)
	at := hash & mask
	for t.slots[at] != 0 {
		at = (at + 1) & mask
	}
	t.slots[at] = n
}

// Mix hashes three numbers: the finisher of MurmurHash3 (Appleby, 2011) over their
// products with odd constants.
func Mix(a, b, c uint64) uint64 {
	h := a*0x9E3779B97F4A7C15 ^ b*0xC2B2AE3D27D4EB4F ^ c*0x165667B19E3779F9
	h ^= h >> 33
	h *= 0xFF51AFD7ED558CCD
	h ^= h >> 33
	h *= 0xC4CEB9FE1A85EC53
	return h ^ h>>33
}

// Bytes is what the table takes.
func (t *Table) Bytes() int64 { return SizeOf(t.slots) }
