// Package several makes one answer of those of several projects, by pure functions, whichever servers gave
// them.
package several

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/quarry-search/quarry/api/project"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/search"
)

// CutUnasked is the cut of a search that has not asked all projects that it is over.
const CutUnasked answer.Cut = "projects"

// A Found is what projects have for a query.
type Found struct {
	Of        map[string][]search.Result // by project
	Sum       wire.Meta
	Asked     int   // projects
	Unindexed int   // of them: at the path of the query the index knows nothing
	Gone      error // that none of them has the path, where that is so

	somewhere bool // one has it
}

// Add adds what a project has, or what an answer says of several together.
func (f *Found) Add(name string, results []search.Result, meta *wire.Meta, projects int) {
	f.somewhere = true
	f.Of[name] = append(f.Of[name], results...)
	if meta.Unindexed {
		f.Unindexed += projects
	}
	f.Sum.Matches += meta.Matches
	f.Sum.Truncated = f.Sum.Truncated || meta.Truncated
	f.Sum.Unchecked += meta.Unchecked
	for _, why := range meta.TruncatedBy {
		f.Sum.Cut(why)
	}
}

// AddAnswer adds what another server has for the query of a number, which is one more of those asked.
func (f *Found) AddAnswer(b *wire.BatchResponse, number int) {
	a := &b.Answers[number]
	n := len(b.Projects)
	f.Asked += n
	if slices.ContainsFunc(b.Projects, func(p wire.ProjectState) bool { return !p.NoPath }) {
		f.Add("", nil, &a.Meta, n)
	} else {
		f.Unindexed += n
	}
	for i := range a.Results {
		r := resultFrom(&a.Results[i])
		f.Of[r.Project] = append(f.Of[r.Project], r)
	}
}

// Elsewhere is a search for some texts as other servers are asked that have so long. The budget is for all results
// together, and so none of theirs.
func Elsewhere(q *wire.SearchRequest, texts []string, within time.Duration, take func(*wire.BatchResponse)) project.Question {
	ask := *q
	ask.Query, ask.Queries, ask.Scope = "", texts, wire.Scope{}
	ask.MaxTokens, ask.Fresh, ask.TimeoutMS = 0, false, max(1, int(within.Milliseconds()))
	return project.QuestionOf("search", func(names []string) any {
		of := ask
		of.Projects = names
		return &of
	}, func(b *wire.BatchResponse) (*wire.Unasked, error) {
		if len(b.Answers) != len(texts) {
			return nil, fmt.Errorf("%d answers to %d queries", len(b.Answers), len(texts))
		}
		take(b)
		return b.Unasked, nil
	})
}

// ResultOf is a result as it is in JSON.
func ResultOf(r *search.Result) wire.SearchResult {
	out := wire.SearchResult{
		File: r.File, Line: r.Line, EndLine: r.EndLine, Content: r.Content, Score: r.Score, Role: wire.Role(r.Role), Signature: r.Signature,
		Symbol: r.Symbol, Kind: r.Kind, Lang: r.Lang, Project: r.Project, Changed: r.Changed, Brief: r.Brief, Sent: r.Sent, Why: (*wire.Why)(r.Why),
	}
	for _, s := range r.Explain {
		out.Explain = append(out.Explain, wire.Signal(s))
	}
	return out
}

// ResultBetween is ResultOf for another server, which has this one search.
func ResultBetween(r *search.Result) wire.SearchResult {
	out := ResultOf(r)
	out.FileHash, out.FileTokens = r.FileHash, r.FileTokens
	return out
}

// resultFrom is what of a result another server makes an answer of.
func resultFrom(r *wire.SearchResult) search.Result {
	return search.Result{
		File: r.File, Line: r.Line, EndLine: r.EndLine, Content: r.Content, Score: r.Score, Role: string(r.Role), Signature: r.Signature,
		Symbol: r.Symbol, Kind: r.Kind, Lang: r.Lang, Project: r.Project, Changed: r.Changed, Brief: r.Brief, FileHash: r.FileHash, FileTokens: r.FileTokens,
		Explain: signals(r.Explain), Why: (*search.Why)(r.Why),
	}
}

func signals(list []wire.Signal) (out []search.Signal) {
	for _, s := range list {
		out = append(out, search.Signal(s))
	}
	return out
}

// Merge puts all results in one order: scores are calibrated, so that those of two indexes say the same, and
// equal ones stay in the order of the projects, and in theirs. They keep to the bounds of the query
// together; sent reports whether the reader has a result.
func (f *Found) Merge(order []string, q search.Query, sent func(*search.Result) bool) ([]search.Result, wire.Meta, error) {
	sum := f.Sum
	if !f.somewhere && f.Gone != nil {
		return nil, sum, f.Gone
	}
	all := []search.Result{}
	for _, name := range order {
		all = append(all, f.Of[name]...)
	}
	slices.SortStableFunc(all, func(a, b search.Result) int { return cmp.Compare(b.Score, a.Score) })
	if len(all) > q.Limit {
		all = all[:q.Limit]
		sum.Cut(string(answer.CutLimit))
	}
	switch {
	case q.MaxTokens > 0 && q.Mode == search.Regex:
		for len(all) > 1 && Cost(all) > q.MaxTokens {
			all = all[:len(all)-1]
			sum.Cut(string(answer.CutTokens))
		}
		sum.Tokens = Cost(all)
	case q.MaxTokens > 0:
		var less bool
		if all, less = search.Pack(all, q.MaxTokens, sent); less {
			sum.Cut(string(answer.CutTokens))
		}
		sum.Tokens = Cost(all)
	}
	slices.Sort(sum.TruncatedBy) // which server was the first to say so is chance
	sum.Changed, sum.Unindexed = changedFiles(all), f.Unindexed == f.Asked
	return all, sum, nil
}

// Cost returns the tokens of results together.
func Cost(results []search.Result) int {
	n := 0
	for i := range results {
		n += results[i].Tokens()
	}
	return n
}

// changedFiles counts the files of results that are no longer what was indexed.
func changedFiles(results []search.Result) int {
	files := map[[2]string]bool{}
	for i := range results {
		if r := &results[i]; r.Changed {
			files[[2]string{r.Project, r.File}] = true
		}
	}
	return len(files)
}

// Worst puts the indexes of projects in the order of their names, and returns the least current.
func Worst(list []wire.ProjectState, order []string) wire.Index {
	at := map[string]int{}
	for i, name := range order {
		at[name] = i
	}
	slices.SortStableFunc(list, func(a, b wire.ProjectState) int { return cmp.Compare(at[a.Project], at[b.Project]) })
	rank := []wire.State{answer.Failed, answer.Indexing, answer.Stale, answer.Ready}
	return slices.MinFunc(list, func(a, b wire.ProjectState) int {
		return cmp.Compare(slices.Index(rank, a.Index.State), slices.Index(rank, b.Index.State))
	}).Index
}

// Reason is why a project was not asked that could not be acquired, by the code of the error; late says that the
// time for that was over.
func Reason(code string, late bool) wire.UnaskedReason {
	switch {
	case code == wire.CodeNotFound || code == wire.CodeWrongProject:
		return wire.UnaskedMissing
	case late:
		return wire.UnaskedSlow
	}
	return wire.UnaskedUnavailable
}

// maxUnasked bounds the projects that an answer names as unasked.
const maxUnasked = 100

// Left says what was not asked; nil: nothing.
func Left(unasked []wire.UnaskedProject) *wire.Unasked {
	if len(unasked) == 0 {
		return nil
	}
	likely := func(u wire.UnaskedProject) bool { return u.Reason == wire.UnaskedLimit }
	slices.SortStableFunc(unasked, func(a, b wire.UnaskedProject) int {
		switch {
		case likely(a) == likely(b):
			return 0
		case likely(b):
			return -1
		}
		return 1
	})
	return &wire.Unasked{Total: len(unasked), Projects: unasked[:min(len(unasked), maxUnasked)]}
}

// Nobody is the error where no project could be asked.
func Nobody(unasked []wire.UnaskedProject) error {
	why := map[wire.UnaskedReason]int{}
	for _, u := range unasked {
		why[u.Reason]++
	}
	said := ""
	for _, r := range []wire.UnaskedReason{wire.UnaskedUnindexed, wire.UnaskedSlow, wire.UnaskedUnavailable} {
		if why[r] > 0 {
			said += fmt.Sprintf(", %s: %d", r, why[r])
		}
	}
	return wire.Problemf(wire.CodeUnavailable, "none of the projects can be asked now%s", said)
}
