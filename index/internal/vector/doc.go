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
//	codes          half of dim rounded up to 32: v = scale*c + rest, 4 bits for each c
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
// with integer d of 8 bits, and v = s*c + e a vector with its codes. Then
//
//	q.v = t*s*(d.c) + q.e + f.(s*c)
//
// d.c is an integer, computed without error. By Cauchy and Schwarz the other two
// are at most |q||e| + |f||s*c| <= |e| + |f|(1+|e|). |e| is kept with the codes
// and |f| is computed once, both rounded up; 6e-6 more covers every rounding of
// the float32 arithmetic around it. So t*s*(d.c), the approximate score, gives
// each vector an upper bound.
//
// A pass computes d.c for all vectors, keeps them, and notes the k vectors with
// the greatest approximate scores. Those get their exact scores. k vectors reach
// the least of these, whichever k they are, so a vector whose upper bound lies
// below it is not among the best k for certain: it has k others above it. A
// second look at the products finds all whose bound reaches it, and those get
// their exact scores. Every step keeps ties, so the ids decide them.
//
// 4 bits leave out |e| = 0.11 of a vector of 256 dimensions. quantize makes it
// as small as it can: a greatest code that fits the greatest place wastes the
// others, so it tries to cut off, and takes the best scale for the codes.
//
// The exact score is one fixed function, kernel.score: products in float64,
// where they are exact, added in one fixed order, rounded to float32 once.
//
// # Figures
//
// Two-core Xeon (Sapphire Rapids, 2.0 GHz, virtual), 256 dimensions, 95,950
// vectors, k=116, AVX-512 VNNI, against the former codes of 8 bits. Both were
// built with the same driver and run in turn, real vectors three times, uniform
// ones twice, while others used the machine (load 1.5 to 4); all results are
// given. Milliseconds of processor time for a search: the least of six rounds of
// 60 searches by each goroutine, of one round for uniform vectors.
//
//	                         4 bits             8 bits
//	code, one at a time      0.92 0.92 1.02     1.06 1.24 1.62
//	code, five at once       0.79 0.88 0.91     0.99 1.15 1.22
//	uniform, one at a time   5.1  5.5           1.8  2.0
//	uniform, five at once    5.5  5.8           1.2  1.4
//
// code is vectors of pieces of code with 30 questions, which are not kept here.
// Turn by turn the gain there is 13 to 43 % for one at a time, 21 to 26 % for
// five, and 12 MB less. In another driver, 600 searches one after the other (60
// in Go), twice in turn at load 1.5 to 2.5, the median wall time went from 1.95
// and 1.98 to 1.18 and 1.23 ms with VNNI, from 2.00 and 2.10 to 1.31 and 1.33 ms
// with AVX2, and from 36 and 40 to 13 and 14 ms in Go.
//
// Vectors without structure, whose best are hardly better than the rest, are the
// loss: 17,525 of 95,950 uniform ones reach the floor and need their exact score,
// and a search takes about three to five times as long. Of the code 855 do in the mean.
//
// Where the time of one search goes, the least of 40 times of each question in
// the mean, at load 7: 0.60 ms for the pass, of which 0.50 ms for reading 12.3
// MB and multiplying, and 0.25 ms for the exact scores and the rest. From the
// cache, 131,072 vectors are multiplied in 0.30 to 0.33 ms with VNNI, 0.84 to
// 0.95 ms with AVX2 and 17 ms in Go.
//
// One, two and four passes at once, five goroutines with GOMAXPROCS=4, twice
// each, not in turn, at load 6: 0.90 and 0.94, 0.95 and 0.97, 1.07 and 1.07 ms
// of processor time. Four are worse; one and two are too close to tell.
//
// chromem beside the scan of the former codes, k=50, wall time on both cores:
//
//	vectors      250   500  1,000  1,500  2,000  4,000
//	chromem     0.29  0.43   0.81   1.03   1.40   2.58 ms
//	scan        0.05  0.05   0.07   0.08   0.08   0.12 ms
package vector
