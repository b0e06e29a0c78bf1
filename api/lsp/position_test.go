package lsp

import (
	"testing"

	"go.lsp.dev/protocol"
)

// TestPositions goes from bytes to positions and back, in all encodings.
func TestPositions(t *testing.T) {
	x := newText("a😀é\r\nb\n\n😀")
	for _, tc := range []struct {
		offset           int
		line             uint32
		utf8, utf16, u32 uint32
	}{
		{0, 0, 0, 0, 0}, {1, 0, 1, 1, 1}, {5, 0, 5, 3, 2}, {7, 0, 7, 4, 3}, {9, 1, 0, 0, 0}, {10, 1, 1, 1, 1}, {11, 2, 0, 0, 0}, {12, 3, 0, 0, 0}, {16, 3, 4, 2, 1},
	} {
		for e, want := range map[protocol.PositionEncodingKind]uint32{
			protocol.PositionEncodingKindUTF8: tc.utf8, protocol.PositionEncodingKindUTF16: tc.utf16, protocol.PositionEncodingKindUTF32: tc.u32,
		} {
			p := protocol.Position{Line: tc.line, Character: want}
			if got := x.position(tc.offset, e); got != p {
				t.Errorf("byte %d in %s: %v, want %v", tc.offset, e, got, p)
			}
			if got := x.offset(p, e); got != tc.offset {
				t.Errorf("%v in %s: byte %d, want %d", p, e, got, tc.offset)
			}
		}
	}
	for _, e := range []protocol.PositionEncodingKind{protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32} {
		if got := x.offset(protocol.Position{Line: 0, Character: 99}, e); got != 7 {
			t.Errorf("beyond a line in %s: byte %d, want 7", e, got)
		}
		if got := x.offset(protocol.Position{Line: 99}, e); got != len(x.all) {
			t.Errorf("beyond the text in %s: byte %d", e, got)
		}
	}
	if got := x.offset(protocol.Position{Line: 0, Character: 2}, protocol.PositionEncodingKindUTF16); got != 5 {
		t.Errorf("in the middle of a character: byte %d, want 5", got)
	}
	for _, tc := range []struct {
		offered []protocol.PositionEncodingKind
		want    protocol.PositionEncodingKind
	}{
		{nil, protocol.PositionEncodingKindUTF16},
		{[]protocol.PositionEncodingKind{"utf-7"}, protocol.PositionEncodingKindUTF16},
		{[]protocol.PositionEncodingKind{"utf-32"}, protocol.PositionEncodingKindUTF32},
		{[]protocol.PositionEncodingKind{"utf-16", "utf-8"}, protocol.PositionEncodingKindUTF8},
	} {
		if got := encoding(tc.offered); got != tc.want {
			t.Errorf("of %v: %s", tc.offered, got)
		}
	}
}
