// Package vector holds vectors of unit length by id and finds the nearest ones.
//
// It promises the true answer: Search returns exactly the k vectors with the
// greatest cosine, ordered by score downwards and then by id upwards, the same
// on every machine, whichever way it took. It does not approximate, has no
// parameters of recall, and does not filter by anything but the caller's
// function. It keeps nothing on disk.
//
// # Layout
//
// Vectors lie in blocks of 1,024 slots. Blocks are never moved, and an id keeps
// its slot for life, so the documents of the chromem collection alias the rows
// instead of copying them. A slot costs, in bytes:
//
//	exact vector   4*dim
//	codes          dim rounded up to 64: v = scale*c + rest, one byte for each c
//	scale, rest    8: the factor, and the length of what the codes leave out
//	tables         8: slot -> id, id -> slot; free slots are used again
//	chromem        about 127: the id as text, the document, the map
//
// # Two ways to the answer
//
// chromem is the store and the reference. It is asked itself while the Store has
// at most FlatAbove vectors and the search has no filter. chromem adds in
// float32, returns equal scores in random order and cuts off anywhere between
// them; so Search gives its documents their exact scores, and asks for more
// until the worst that chromem returned lies below the k-th exact score by more
// than the greatest error that chromem can make.
//
// Otherwise the codes are scanned. Let q be the query of length 1, q = t*d + f
// with integer d of 16 bits, and v = s*c + e a vector with its codes. Then
//
//	q.v = t*s*(d.c) + q.e + f.(s*c)
//
// d.c is an integer, computed without error. By Cauchy and Schwarz the other two
// are at most |q||e| + |f||s*c| <= |e| + |f|(1+|e|). |e| is kept with the codes
// and |f| is computed once, both rounded up; 4e-6 more covers every rounding of
// the float32 arithmetic around it. So each vector has a lower and an upper
// bound of its score. A vector whose upper bound lies below the k-th best lower
// bound has k others above it for certain and is dropped; those left, about
// twice k, get their exact score. Every step keeps ties, so the ids decide them.
//
// The exact score is one fixed function, kernel.score: products in float64,
// where they are exact, added in one fixed order, rounded to float32 once.
//
// Codes are offered to a selection 64 at a time. Candidates are appended to a
// buffer and thinned out by quickselect when it is full, which raises the floor
// that the next 64 are compared with: no heap operation for each vector.
//
// # Figures
//
// Two-core Xeon (Sapphire Rapids, 2.0 GHz, virtual), 256 dimensions, uniform
// vectors, which are the hardest to prune; vector_bench_test.go. One search over
// 130,000 vectors, k=200, while others used the machine a little:
//
//	plain Go         32.6 ms
//	AVX2              2.2 ms
//	AVX-512 VNNI      1.8 ms (taken with a 256-bit form of the kernel)
//
// The scan is bound by memory: only touching the 33 MB of codes takes 1.8 to
// 2.1 ms, and without four streams and prefetching the scan takes 2.7 ms. Arithmetic shows when several searches share a pass: over codes
// in the cache, 131,072 vectors take 0.64 ms with VNNI in 512 bits, 0.93 ms in
// 256 bits, and about 1.4 ms with AVX2. That is what earns the VNNI kernel its place.
//
// Five goroutines that search at once, processor time of a search, the two
// builds in turn on a busy machine (medians of six): 3.0 ms each for itself,
// 2.1 ms with shared passes.
//
// chromem beside the scan, k=50, wall time on both cores:
//
//	vectors      250   500  1,000  1,500  2,000  4,000
//	chromem     0.29  0.43   0.81   1.03   1.40   2.58 ms
//	scan        0.05  0.05   0.07   0.08   0.08   0.12 ms
package vector
