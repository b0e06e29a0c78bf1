package snapshot

import (
	"encoding/binary"
	"fmt"
	"math"
)

// An Encoder builds the bytes of a section.
type Encoder struct{ buf []byte }

// Bytes returns what has been written.
func (e *Encoder) Bytes() []byte { return e.buf }

// Reset forgets what has been written; its memory is used again.
func (e *Encoder) Reset() { e.buf = e.buf[:0] }

// Uint writes a number, in 1 to 10 bytes.
func (e *Encoder) Uint(x uint64) { e.buf = binary.AppendUvarint(e.buf, x) }

// Int writes a number that may be negative.
func (e *Encoder) Int(x int64) { e.buf = binary.AppendVarint(e.buf, x) }

// Len writes a number of things.
func (e *Encoder) Len(n int) { e.Uint(uint64(n)) }

// Byte writes one byte.
func (e *Encoder) Byte(b byte) { e.buf = append(e.buf, b) }

// Bool writes one byte.
func (e *Encoder) Bool(b bool) {
	if b {
		e.Byte(1)
	} else {
		e.Byte(0)
	}
}

// Uint32 writes four bytes.
func (e *Encoder) Uint32(x uint32) { e.buf = binary.LittleEndian.AppendUint32(e.buf, x) }

// Uint64 writes eight bytes.
func (e *Encoder) Uint64(x uint64) { e.buf = binary.LittleEndian.AppendUint64(e.buf, x) }

// Float32 writes four bytes.
func (e *Encoder) Float32(x float32) { e.Uint32(math.Float32bits(x)) }

// Float64 writes eight bytes.
func (e *Encoder) Float64(x float64) { e.Uint64(math.Float64bits(x)) }

// String writes a string with its length.
func (e *Encoder) String(s string) {
	e.Len(len(s))
	e.buf = append(e.buf, s...)
}

// Raw writes bytes without their length.
func (e *Encoder) Raw(b []byte) { e.buf = append(e.buf, b...) }

// A Decoder reads what an Encoder wrote. After the first thing that does not fit,
// everything it returns is zero.
type Decoder struct {
	rest []byte
	err  error
}

// NewDecoder returns a Decoder of some bytes, which must not change.
func NewDecoder(b []byte) *Decoder { return &Decoder{rest: b} }

// Err returns what did not fit, an ErrDamaged, or nil.
func (d *Decoder) Err() error { return d.err }

// Left returns the number of bytes that have not been read.
func (d *Decoder) Left() int { return len(d.rest) }

// Rest returns what has not been read. It is not a copy.
func (d *Decoder) Rest() []byte { return d.rest }

// Fail records that what was read makes no sense. The first reason is kept.
func (d *Decoder) Fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
	}
	d.rest = nil
}

// Uint reads a number.
func (d *Decoder) Uint() uint64 {
	// Most numbers are small.
	if len(d.rest) > 0 && d.rest[0] < 0x80 {
		x := d.rest[0]
		d.rest = d.rest[1:]
		return uint64(x)
	}
	x, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.Fail("a number is cut off")
		return 0
	}
	d.rest = d.rest[n:]
	return x
}

// Below reads a number that must be less than a bound.
func (d *Decoder) Below(bound uint64) uint64 {
	x := d.Uint()
	if x >= bound && d.err == nil {
		d.Fail("%d is not below %d", x, bound)
	}
	if d.err != nil {
		return 0
	}
	return x
}

// Uint32n reads a number that must fit into 32 bits.
func (d *Decoder) Uint32n() uint32 { return uint32(d.Below(1 << 32)) }

// Int reads a number that may be negative.
func (d *Decoder) Int() int64 {
	x, n := binary.Varint(d.rest)
	if n <= 0 {
		d.Fail("a number is cut off")
		return 0
	}
	d.rest = d.rest[n:]
	return x
}

// Len reads a number of things that take at least size bytes each, 1 or more. A number that
// the remaining bytes cannot hold does not fit.
func (d *Decoder) Len(size int) int {
	n := d.Uint()
	if n > uint64(len(d.rest)/size) {
		d.Fail("%d things of %d bytes in %d bytes", n, size, len(d.rest))
		return 0
	}
	return int(n)
}

// Byte reads one byte.
func (d *Decoder) Byte() byte {
	b := d.Raw(1)
	if b == nil {
		return 0
	}
	return b[0]
}

// Bool reads one byte, which is 0 or 1.
func (d *Decoder) Bool() bool {
	b := d.Byte()
	if b > 1 {
		d.Fail("%d for a truth value", b)
	}
	return b == 1
}

// Uint32 reads four bytes.
func (d *Decoder) Uint32() uint32 {
	b := d.Raw(4)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// Uint64 reads eight bytes.
func (d *Decoder) Uint64() uint64 {
	b := d.Raw(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// Float32 reads four bytes.
func (d *Decoder) Float32() float32 { return math.Float32frombits(d.Uint32()) }

// Float64 reads eight bytes.
func (d *Decoder) Float64() float64 { return math.Float64frombits(d.Uint64()) }

// String reads a string. It is a copy.
func (d *Decoder) String() string { return string(d.Raw(d.Len(1))) }

// Raw reads n bytes, which are not copied; nil when there are fewer.
func (d *Decoder) Raw(n int) []byte {
	if n < 0 || n > len(d.rest) {
		d.Fail("%d bytes of %d", n, len(d.rest))
		return nil
	}
	b := d.rest[:n:n]
	d.rest = d.rest[n:]
	return b
}

// End checks that everything has been read, and returns Err.
func (d *Decoder) End() error {
	if d.err == nil && len(d.rest) > 0 {
		d.Fail("%d bytes too many", len(d.rest))
	}
	return d.err
}
