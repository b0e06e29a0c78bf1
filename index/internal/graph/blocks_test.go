package graph

import "testing"

// A list of blocks keeps what is put into it, at the same place in memory, however long
// it becomes.
func TestBlocks(t *testing.T) {
	var b blocks[int]
	b.extend(1)
	first := b.at(0)
	for i := range 3*blockLen + 1 {
		b.extend(i + 1)
		if *b.at(uint32(i)) != 0 {
			t.Fatalf("%d is %d before anything was put there", i, *b.at(uint32(i)))
		}
		*b.at(uint32(i)) = i + 1
	}
	b.extend(2)
	if b.len() != 3*blockLen+1 || b.at(0) != first {
		t.Errorf("%d things; the first has moved: %v", b.len(), b.at(0) != first)
	}
	for i := range b.len() {
		if *b.at(uint32(i)) != i+1 {
			t.Fatalf("%d is %d", i, *b.at(uint32(i)))
		}
	}
	if least := int64(4 * blockLen * 8); b.bytes() < least || b.bytes() > least+1<<10 {
		t.Errorf("%d bytes, want %d and a little", b.bytes(), least)
	}
}
