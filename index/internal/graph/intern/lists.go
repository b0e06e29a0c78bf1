package intern

// Lists are lists by a number from 1 on.
type Lists struct {
	Ends []uint32 // where the list of a number ends in data; that of the one before is where it begins
	Data []uint32
}

// Of returns the list of a number.
func (l *Lists) Of(n uint32) []uint32 {
	lo, hi := l.Bounds(n)
	return l.Data[lo:hi]
}

// Bounds returns where the list of a number begins and ends.
func (l *Lists) Bounds(n uint32) (lo, hi uint32) {
	if n == 0 || n >= uint32(len(l.Ends)) {
		return 0, 0
	}
	return l.Ends[n-1], l.Ends[n]
}

// Grouped lists the numbers below n by their keys, which are below bound; what has the
// key 0 is left out. A counting sort is much cheaper than a map of slices.
func Grouped(bound, n int, key func(i int) uint32) Lists {
	l := Lists{Ends: make([]uint32, bound)}
	for i := range n {
		if k := key(i); k != 0 {
			l.Ends[k]++
		}
	}
	l.Data = make([]uint32, Summed(l.Ends))
	for i := range n {
		if k := key(i); k != 0 {
			l.Data[l.Ends[k]] = uint32(i)
			l.Ends[k]++
		}
	}
	return l
}

// Summed turns counts into where the first of each is. It returns their sum.
func Summed(counts []uint32) uint32 {
	total := uint32(0)
	for k, n := range counts {
		counts[k] = total
		total += n
	}
	return total
}

// Bytes is what the lists take.
func (l *Lists) Bytes() int64 { return SizeOf(l.Ends) + SizeOf(l.Data) }
