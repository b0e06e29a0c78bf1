// Package snapshot is a file of named, checksummed sections, and the encoding that
// the stores use for what they put into theirs. It knows none of the stores.
//
// # The file
//
// All numbers are little-endian. The file begins with a block of 4,096 bytes:
//
//	0   8 bytes   89 51 52 59 0D 0A 1A 0A: "\x89QRY\r\n\x1a\n", which a transfer as
//	              text or a cut changes, as PNG has it
//	8   uint32    version of this format, 1
//	12  uint32    number of sections, at most 64
//	16  uint64    length of the file in bytes
//	24  uint32    CRC-32C of the bytes 0 to 24 and of the table
//	28  4 bytes   zero
//	32            the table: 48 bytes for each section
//
// and of each section, in the order of the file:
//
//	0   16 bytes  name, in ASCII, filled up with zeros
//	16  uint64    where it begins, a multiple of 8
//	24  uint64    bytes in the file
//	32  uint64    bytes once unpacked
//	40  uint32    CRC-32C of the bytes in the file
//	44  uint32    how it is packed: 0 not at all, 1 by Zstandard (RFC 8878)
//
// Whatever fills the file between sections is zero.
//
// # What it promises
//
// Create writes beside the file's final place; Commit makes the bytes durable and
// then gives the file its name, so that a name has a whole file or none. The bytes
// depend on what was written alone.
//
// Open and Section take any bytes at all: what is cut, changed or made up gives an
// error that is ErrDamaged, or ErrVersion for a version that is not ours. They need no
// more memory than the file says that it holds, and no more than 16 times its length.
// A Decoder, too, takes any bytes: after the first thing that does not fit it returns
// zeros, and Err says so.
//
// What it does not promise: a change of bytes together with their checksum is not
// seen here. Who decodes checks what the numbers mean.
//
// # The encoding
//
// An Encoder writes numbers as LEB128 (Uint; Int with zigzag), strings and bytes with
// their length before them, and nothing to say what is what: reader and writer agree
// by the version of their section.
package snapshot
