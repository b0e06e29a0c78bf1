package flow

import (
	"fmt"
	"slices"
)

// smallest takes lines out of slices as long as what is noted stays: in each round all that can be taken out alone
// are tried, and then as many of them as can be together.
func (b *builder) smallest(trials []*trial) error {
	for _, t := range trials {
		t.least = map[int]bool{}
		for line := range t.slice {
			t.least[line] = true
		}
	}
	for active := trials; len(active) > 0; {
		alone := map[*trial][]int{}
		holds, err := b.tried(active, func(t *trial) (sets []map[int]bool) {
			for _, line := range sortedKeys(t.least) {
				sets = append(sets, minus(t.least, line))
			}
			return sets
		})
		if err != nil {
			return err
		}
		var next []*trial
		for _, t := range active {
			for i, line := range sortedKeys(t.least) {
				if holds[t][i] {
					alone[t] = append(alone[t], line)
				}
			}
			if len(alone[t]) > 0 {
				next = append(next, t)
			}
		}
		if active = next; len(active) == 0 {
			return nil
		}
		// The last lines first: what comes before is often there for them.
		together := func(t *trial) (sets []map[int]bool) {
			for n := range alone[t] {
				sets = append(sets, minus(t.least, alone[t][len(alone[t])-1-n:]...))
			}
			return sets
		}
		if holds, err = b.tried(active, together); err != nil {
			return err
		}
		for _, t := range active {
			sets := together(t)
			for i := range slices.Backward(sets) {
				if holds[t][i] {
					t.least = sets[i]
					break
				}
			}
		}
	}
	return nil
}

func sortedKeys(set map[int]bool) []int {
	list := make([]int, 0, len(set))
	for k := range set {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

func minus(set map[int]bool, lines ...int) map[int]bool {
	out := map[int]bool{}
	for k := range set {
		if !slices.Contains(lines, k) {
			out[k] = true
		}
	}
	return out
}

// tried says which sets of lines hold.
func (b *builder) tried(trials []*trial, sets func(t *trial) []map[int]bool) (map[*trial][]bool, error) {
	var variants []*variant
	for _, t := range trials {
		for i, lines := range sets(t) {
			variants = append(variants, t.whole.without(fmt.Sprintf("%sv%d", t.ID, i), lines))
		}
	}
	results, err := b.results(variants, trials)
	if err != nil {
		return nil, err
	}
	holds := map[*trial][]bool{}
	for _, t := range trials {
		for i := range sets(t) {
			holds[t] = append(holds[t], t.want.holds(results[fmt.Sprintf("%sv%d", t.ID, i)]))
		}
	}
	return holds, nil
}
