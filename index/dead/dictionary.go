package dead

// A dictionary numbers words, from 0 in the order in which they come in. Most words of a text are none of it:
// a filter says so of them without a look at the table.
type dictionary struct {
	filter [1 << 14]uint64
	words  []string
	table  []entry // words from the places on that their hashes say
}

// An entry is a word in a table.
type entry struct {
	hash uint32
	next int32 // one more than the number of the word; 0: the place is free
}

// spread makes a hash of a sum over the bytes of a word, see sumOf.
func spread(sum uint32) uint32 {
	sum *= 2654435761
	return sum ^ sum>>15
}

// sumOf sums up the bytes of a word.
func sumOf(word string) (sum uint32) {
	for i := range len(word) {
		sum = sum*31 + uint32(word[i])
	}
	return sum
}

// find returns the number of a word, whose sum is given.
func (d *dictionary) find(sum uint32, word []byte) (n int32, ok bool) {
	hash := spread(sum)
	if d.filter[hash>>18]>>(hash>>12&63)&1 == 0 {
		return 0, false
	}
	mask := uint32(len(d.table) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		e := d.table[at]
		if e.next == 0 {
			return 0, false
		}
		if e.hash == hash && d.words[e.next-1] == string(word) {
			return e.next - 1, true
		}
	}
}

// get is find of a word that has no sum yet.
func (d *dictionary) get(word string) (n int32, ok bool) {
	return d.find(sumOf(word), []byte(word))
}

// add enters a word that is new.
func (d *dictionary) add(word string) int32 {
	hash := spread(sumOf(word))
	d.words = append(d.words, word)
	d.filter[hash>>18] |= 1 << (hash >> 12 & 63)
	if 2*len(d.words) > len(d.table) {
		before := d.table
		d.table = make([]entry, max(1024, 2*len(d.table)))
		for _, e := range before {
			if e.next > 0 {
				d.place(e)
			}
		}
	}
	d.place(entry{hash, int32(len(d.words))})
	return int32(len(d.words)) - 1
}

func (d *dictionary) place(e entry) {
	mask := uint32(len(d.table) - 1)
	at := e.hash & mask
	for d.table[at].next != 0 {
		at = (at + 1) & mask
	}
	d.table[at] = e
}

// wordBytes are the bytes that words have.
var wordBytes = func() (is [256]bool) {
	for c := range is {
		is[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= 0x80
	}
	return is
}()

func inWord(c byte) bool { return wordBytes[c] }
