package vector

import "encoding/binary"

// Codes are packed eight dimensions at once, as the bytes of a 64-bit word.
const (
	lowHalves  = 0x0f0f0f0f_0f0f0f0f
	highHalves = 0xf0f0f0f0_f0f0f0f0
)

// weave writes codes and fine codes as a Code has them.
func weave(dst []uint8, codes, fine []int8) {
	for i := range dst {
		dst[i] = uint8(codes[i]+codeZero) | uint8(fine[i]+codeZero)<<4
	}
}

// packCodes writes the codes of the p-th slot of a block.
func packCodes(block []uint8, p int, woven []uint8) {
	words := len(woven) / wordDims
	at := codesAt(p, words)
	for i := range words {
		w := binary.LittleEndian.Uint64(woven[i*wordDims:]) & lowHalves
		binary.LittleEndian.PutUint32(block[at+i*groupBytes:], uint32(w)|uint32(w>>32)<<4)
	}
}

// packRow writes the fine codes of a slot and, where there is room for them, its codes
// after them.
func packRow(row, woven []uint8) {
	const half = fineDims / 2
	codes := row[len(woven)/2:]
	for i := 0; i < len(woven)/2; i += 8 {
		at := i/half*fineDims + i%half
		low, high := binary.LittleEndian.Uint64(woven[at:]), binary.LittleEndian.Uint64(woven[at+half:])
		binary.LittleEndian.PutUint64(row[i:], low>>4&lowHalves|high&highHalves)
		if len(codes) > 0 {
			binary.LittleEndian.PutUint64(codes[i:], low&lowHalves|high<<4&highHalves)
		}
	}
}
