package dead

// A dictionary numbers words, from 0 in the order in which they come in. Most words of a text are none of it:
// a filter says so of them without a look at the table.
type dictionary struct {
	filter [1 << 14]uint64
	words  []string
	hashes []uint32 // of the words
	table  []int32  // one more than the number of a word, from the place on that its hash says; 0: free
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
		n := d.table[at] - 1
		if n < 0 {
			return 0, false
		}
		if d.hashes[n] == hash && d.words[n] == string(word) {
			return n, true
		}
	}
}

// get is find of a word that has no sum yet.
func (d *dictionary) get(word string) (n int32, ok bool) {
	return d.find(sumOf(word), []byte(word))
}

// add enters a word that is new.
func (d *dictionary) add(word string) int32 {
	hash, n := spread(sumOf(word)), int32(len(d.words))
	d.words, d.hashes = append(d.words, word), append(d.hashes, hash)
	d.filter[hash>>18] |= 1 << (hash >> 12 & 63)
	if 2*len(d.words) > len(d.table) {
		d.table = make([]int32, max(1024, 2*len(d.table)))
		for i, h := range d.hashes {
			d.place(h, int32(i))
		}
	} else {
		d.place(hash, n)
	}
	return n
}

func (d *dictionary) place(hash uint32, n int32) {
	mask := uint32(len(d.table) - 1)
	at := hash & mask
	for d.table[at] != 0 {
		at = (at + 1) & mask
	}
	d.table[at] = n + 1
}

// wordBytes are the bytes that words have.
var wordBytes = func() (is [256]bool) {
	for c := range is {
		is[c] = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$' || c >= 0x80
	}
	return is
}()

func inWord(c byte) bool { return wordBytes[c] }
