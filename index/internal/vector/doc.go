// Package vector holds vectors of unit length by id and finds the nearest ones.
//
// It promises the true answer: Search returns exactly the k vectors with the greatest
// cosine, ordered by score downwards and then by id upwards, the same on every machine,
// whichever path it took. It does not approximate, has no parameters of recall, and does
// not filter by anything but the caller's function. It keeps nothing on disk.
//
// # Layout
//
// Vectors lie in blocks of 1,024 slots. Blocks are never moved, and an id keeps
// its slot for life, so the documents of the chromem collection alias the rows
// instead of copying them. A slot costs, in bytes:
//
//	exact vector   4*dim; of a Rounded Store half of dim rounded up to 128, see below
//	codes          half of dim rounded up to 32: v = scale*c + rest, 4 bits for each c
//	scale, rest    8: the factor, and the length of what the codes leave out
//	fine codes     half of dim rounded up to 128: rest = scale*c + a lesser rest
//	scale, rest    8: as above
//	leading places 12: see Options.Plain; scale, rest and length of them
//	tokens         half of Tokens*TokenDim, see Options; none in blocks without any
//	tables         8: slot -> id, id -> slot; free slots are used again
//	chromem        about 127: the id as text, the document, the map
//
// The vectors of a Rounded Store are exactly what their codes and fine codes say. It keeps
// no others: a row is made when its exact score is needed, from the fine codes and from a
// second copy of the codes next to them, so that a row is contiguous. And it drops chromem,
// whose documents would be the full vectors, with the first vector beyond the number for
// which chromem is asked. So 256 dimensions take 416 bytes instead of 1,447, which saves 1
// GB for a million chunks.
//
// # Two ways to the answer
//
// chromem is the store of few vectors, and the reference of many. It is asked itself
// while the Store has at most FlatAbove vectors and the search has no filter. chromem
// adds in float32, returns equal scores in random order and cuts off anywhere between
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
// A pass computes d.c for all vectors, keeps them, and notes at least k vectors
// with the greatest approximate scores. The fine codes, which are those of the
// rest, give these a narrower bound in the same way: v = s*c + s'*c' + e'. k of
// them reach the k-th best of their lower bounds, whichever k they are, so a
// vector whose upper bound lies below it is not among the best k for certain: it
// has k others above it. A second look at the products finds all whose bound
// reaches it; their fine codes raise the floor once more and leave hardly more
// than k, which get their exact scores. Every step keeps ties, so the ids decide
// them. In plain Go the exact scores take the place of the fine codes, which are
// no faster there.
//
// 4 bits leave out |e| = 0.11 of a vector of 256 dimensions, 4 more bits |e'| =
// 0.012. quantize makes the rest as small as it can: a greatest code that fits
// the greatest place wastes the others, so it tries to cut off, and takes the
// best scale for the codes.
//
// The exact score is one fixed function, kernel.score: products in float64,
// where they are exact, added in one fixed order, rounded to float32 once. Of a
// Rounded Store, AVX-512 makes it from the codes without writing the row: what
// each of the 16 codes is worth stands in two registers.
//
// A query of the leading places alone, see Options.Plain, multiplies only their codes, and
// takes v to be what these say, brought to unit length: with v' = u*v there, so that u = 1/|v|
// of these places, and the scale and the rest times u, all of this holds.
//
// # Figures
//
// Two-core Xeon (Sapphire Rapids, 2.0 GHz, virtual, its speed varying by half
// from minute to minute), 256 dimensions, 95,950 vectors of code, k=116.
//
// Reading the 12.3 MB of codes and multiplying takes 0.5 to 0.6 ms with AVX-512
// VNNI, of which the arithmetic is 0.23 ms: memory is the limit. Codes of 8 bits
// took 1.1 ms. The rest of a search takes 0.4 to 0.7 ms; a question that nothing
// answers well has more candidates. One pass and two at once, with five searches
// going on, cost the same; four cost more.
//
// chromem alongside the scan, k=50, wall time on both cores:
//
//	vectors      250   500  1,000  1,500  2,000  4,000
//	chromem     0.28  0.46   0.69   1.06   1.33   2.67 ms
//	scan        0.04  0.04   0.07   0.07   0.06   0.07 ms
package vector
