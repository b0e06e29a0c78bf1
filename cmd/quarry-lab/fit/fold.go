package fit

import (
	"errors"
	"fmt"

	"github.com/cespare/xxhash/v2"
)

// Fold says to which of n folds a repository belongs. That does not depend on
// which other repositories there are.
func Fold(repository string, n int) int {
	return int(xxhash.Sum64String(repository) % uint64(n))
}

// CrossValidate calls train for each of n folds, at least 2, with what is not in
// the fold, and returns what it learned, by fold: what an item is to be measured
// with is that of its repository's Fold. Folds without items are passed over,
// their value is T's zero.
func CrossValidate[Item, T any](items []Item, n int, repository func(Item) string, train func([]Item) (T, error)) ([]T, error) {
	if n < 2 {
		return nil, fmt.Errorf("fit: cross-validation needs at least 2 folds, not %d", n)
	}
	learned := make([]T, n)
	for f := range n {
		var rest []Item
		for _, item := range items {
			if Fold(repository(item), n) != f {
				rest = append(rest, item)
			}
		}
		switch len(rest) {
		case len(items):
			continue
		case 0:
			return nil, errors.New("fit: all repositories are in one fold; there must be more of either")
		}
		var err error
		if learned[f], err = train(rest); err != nil {
			return nil, fmt.Errorf("without fold %d: %w", f+1, err)
		}
	}
	return learned, nil
}
