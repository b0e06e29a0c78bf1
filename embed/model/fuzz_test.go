package model

import (
	"math"
	"testing"
)

// FuzzCard: a card that is taken has weights that make vectors of numbers.
func FuzzCard(f *testing.F) {
	f.Add([]byte(cardFile))
	f.Add([]byte(`{"fields":{"text":1,"names":1e3}}`))
	f.Add([]byte(`{"fields":{"text":1e-45,"stem":1000},"dim":-1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		card, err := ParseCard(text)
		if err != nil {
			return
		}
		unit, dst := []float32{0.6, 0.8}, make([]float32, 2)
		card.Fields.Path(dst, unit, unit)
		card.Fields.Document(dst, unit, unit, dst)
		for _, x := range dst {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				t.Errorf("%s: %g", text, dst)
			}
		}
	})
}
