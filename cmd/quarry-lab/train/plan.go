package train

import "math/rand/v2"

// plan returns the batches of one epoch: indexes into examples, size of them in
// each. A batch has two halves. The share hard of the halves come from one
// repository each, so that most negatives are code of the same project, which
// are the ones that a search must tell apart; the rest is drawn from all. What
// fills no half of its own is drawn with the rest, and what fills no batch is
// left out of this epoch.
func plan(examples []example, size int, hard float64, rng *rand.Rand) [][]int32 {
	half := size / 2
	var halves [][]int32
	var rest []int32
	cut := func(list []int32) []int32 {
		for len(list) >= half {
			halves = append(halves, list[:half:half])
			list = list[half:]
		}
		return list
	}
	for from := 0; from < len(examples); {
		to := from
		for to < len(examples) && examples[to].repository == examples[from].repository {
			to++
		}
		list := make([]int32, to-from)
		for i := range list {
			list[i] = int32(from + i)
		}
		shuffle(list, rng)
		own := int(float64(len(list)) * hard)
		rest = append(append(rest, cut(list[:own])...), list[own:]...)
		from = to
	}
	shuffle(rest, rng)
	cut(rest)
	shuffle(halves, rng)
	var batches [][]int32
	for i := 0; i+1 < len(halves); i += 2 {
		batches = append(batches, append(append(make([]int32, 0, size), halves[i]...), halves[i+1]...))
	}
	return batches
}

func shuffle[T any](list []T, rng *rand.Rand) {
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}
