package intern

import "testing"

// A list of blocks keeps what is put into it, at the same place in memory, however long
// it becomes.
func TestBlocks(t *testing.T) {
	var b Blocks[int]
	b.Extend(1)
	first := b.At(0)
	for i := range 3*blockLen + 1 {
		b.Extend(i + 1)
		if *b.At(uint32(i)) != 0 {
			t.Fatalf("%d is %d before anything was put there", i, *b.At(uint32(i)))
		}
		*b.At(uint32(i)) = i + 1
	}
	b.Extend(2)
	if b.Len() != 3*blockLen+1 || b.At(0) != first {
		t.Errorf("%d things; the first has moved: %v", b.Len(), b.At(0) != first)
	}
	for i := range b.Len() {
		if *b.At(uint32(i)) != i+1 {
			t.Fatalf("%d is %d", i, *b.At(uint32(i)))
		}
	}
	if least := int64(4 * blockLen * 8); b.Bytes() < least || b.Bytes() > least+1<<10 {
		t.Errorf("%d bytes, want %d and a little", b.Bytes(), least)
	}
}
