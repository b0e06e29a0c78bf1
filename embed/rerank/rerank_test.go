package rerank

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quarry-search/quarry/embed/wordpiece"
)

func TestRows(t *testing.T) {
	v, err := wordpiece.New([]byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\nre\n##try\nfail\n##ed\nwait\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := Rows(v, "retry, failed", []Passage{{Names: "wait", Doc: "waits", Text: "re.try()"}, {}})
	want := []Row{
		{[]int64{2, 4, 5, 6, 7, 3, 8, 1, 4, 1, 3}, []int64{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}},
		{[]int64{2, 4, 5, 6, 7, 3, 3}, []int64{0, 0, 0, 0, 0, 0, 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	long := strings.Repeat("wait ", 1000)
	for _, r := range Rows(v, long, []Passage{{long, long, long}}) {
		if len(r.Tokens) != rowTokens || len(r.Types) != rowTokens || r.Tokens[rowTokens-1] != v.SEP || r.Types[questionTokens] != 0 {
			t.Errorf("a long row is %v", r)
		}
	}
}
