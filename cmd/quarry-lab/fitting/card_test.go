package fitting

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCard(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	card := file("MODEL.md", "# A model\n\ntext\n\n## Repositories\n\n- a/b 123\n")
	figures := file("f.json", `{"all":{"queries":7},"repositories":{"x":{},"y":{}},"ablation":[
		{"name":"all signals","ndcg@10":0.9,"categories":{"architecture":0.8,"semantic":0.91,"symbol":1}},
		{"name":"mode semantic","ndcg@10":0.7,"categories":{"semantic":0.71}},
		{"name":"without words","ndcg@10":0.6},
		{"name":"mode lexical","ndcg@10":0.65,"categories":{"semantic":0.66}}]}`)
	want := "# A model\n\ntext\n\n## In search\n\nNDCG@10 by `quarry-lab eval ablate`: 7 questions about 2 repositories that are excluded from training.\n\n" +
		"| ranked by | all | architecture | semantic | symbol |\n|---|---|---|---|---|\n" +
		"| vectors alone | 0.700 | 0.000 | 0.710 | 0.000 |\n| words and symbols | 0.650 | 0.000 | 0.660 | 0.000 |\n" +
		"| everything | 0.900 | 0.800 | 0.910 | 1.000 |\n\n## Repositories\n\n- a/b 123\n"
	for range 2 { // the second time it replaces the section
		if err := addFigures(card, figures); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(card)
		if err != nil || string(got) != want {
			t.Fatalf("the card is %q, %v; want %q", got, err, want)
		}
	}
	for _, bad := range []struct{ card, figures, want string }{
		{filepath.Join(dir, "none"), figures, "reading the card"},
		{card, filepath.Join(dir, "none"), "reading the figures"},
		{card, card, "is not what"},
		{figures, figures, "has no section"},
		{card, file("few.json", `{"ablation":[]}`), "lack the modes"},
	} {
		if err := addFigures(bad.card, bad.figures); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s with %s: %v, want %q", bad.card, bad.figures, err, bad.want)
		}
	}
}
