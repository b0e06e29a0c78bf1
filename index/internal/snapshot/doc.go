// Package snapshot is a file of named sections with their hashes, and the encoding that the
// stores use for what they put into theirs. It imports none of the stores.
//
// # The file
//
// All numbers are little-endian. The file begins with a block of 4,096 bytes:
//
//	0   8 bytes   89 51 52 59 0D 0A 1A 0A: "\x89QRY\r\n\x1a\n", which a transfer as
//	              text or a cut changes, as PNG has it
//	8   uint32    version of this format, 2
//	12  uint32    number of sections, at most 32
//	16  uint64    length of the file in bytes
//	24  32 bytes  SHA-256 of the bytes 0 to 24 and of the table: the file's ID
//	56  uint32    how it is signed: 0 not at all, 1 by Ed25519 (RFC 8032)
//	60  4 bytes   zero
//	64  32 bytes  the public key, or zero
//	96  64 bytes  the signature of "quarry snapshot 2\n" and the ID, or zero
//	160           the table: 80 bytes for each section; then zeros
//
// and of each section, in the order of the file:
//
//	0   16 bytes  name, in ASCII, filled up with zeros
//	16  uint64    where it begins: at the next multiple of 8 after the one before
//	24  uint64    bytes in the file
//	32  uint64    bytes once unpacked
//	40  uint32    how it is packed: 0 not at all, 1 by Zstandard (RFC 8878)
//	44  4 bytes   zero
//	48  32 bytes  SHA-256 of the bytes in the file
//
// Whatever fills the file between sections is zero, and is not looked at. The last
// section ends the file.
//
// # What it promises
//
// Create writes next to the file's final place; Commit makes the bytes durable and then
// gives the file its name, so that a name has a whole file or none. The bytes depend only
// on what was written and on the signing key.
//
// Open and Section take any bytes at all: what is cut, changed or made up gives an
// error that is ErrDamaged, or ErrVersion for a version that is not ours. A section is
// compared with its hash when it is read, and that with the ID when the file is opened:
// what has been read belongs to the ID. Section needs no more memory than the section
// has bytes in the file and 16 times as many. A Decoder, too, takes any bytes: after the
// first thing that does not fit it returns zeros, and Err says so.
//
// What it does not promise: whoever can write the file can write another one whose hashes
// are right. Only a signature by a key that the reader knows (see Trust) proves who made
// it. The decoding package checks what the numbers mean.
//
// # The encoding
//
// An Encoder writes numbers as LEB128 (Uint; Int with zigzag), strings and bytes with
// their length before them, and nothing to say what is what: reader and writer agree
// by the version of their section.
package snapshot
