package mcp

import (
	"encoding/json"
	"testing"

	"github.com/quarry-search/quarry/index/tokens"
)

const (
	// mostShown is for names, descriptions and arguments, which a model sees in every turn.
	mostShown = 1500
	// mostListed is for all of tools/list, with the schemas of answers, which clients keep
	// to themselves.
	mostListed = 3900
)

// TestCostOfTheList holds what every session pays before its first question: for all of
// tools/list, and for the part of it that clients put before their model.
func TestCostOfTheList(t *testing.T) {
	count, err := tokens.Encoding(tokens.CL100K)
	if err != nil {
		t.Fatal(err)
	}
	var all, shown, estimate int
	for _, tool := range tools() {
		d := tool.definition()
		whole, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		model, err := json.Marshal(map[string]any{"name": d.Name, "description": d.Description, "input_schema": d.InputSchema})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%-10s %4d, %4d of them before the model", d.Name, count.Count(string(whole)), count.Count(string(model)))
		all += count.Count(string(whole))
		shown += count.Count(string(model))
		estimate += tokens.Estimate(string(whole))
	}
	if shown += count.Count(instructions); shown > mostShown || all > mostListed {
		t.Error("the tools cost more than a session should pay")
	}
	t.Logf("all %d, by estimate %d, before the model, with the instructions, %d", all, estimate, shown)
}
