package dead

import (
	"context"
	"fmt"
	"slices"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/diagnostics"
	"github.com/quarry-search/quarry/index/internal/binding"
	"github.com/quarry-search/quarry/index/internal/source"
	"github.com/quarry-search/quarry/index/internal/store"
)

// Kinds of findings within files, which are looked for only if they are asked for: all files are parsed
// for them.
const (
	KindImport     = binding.Import    // what it binds is not read
	KindParameter  = binding.Parameter // its function does not read it
	KindAssignment = "assignment"      // nothing reads the value
)

// WithinFiles are those kinds. What is exported and what is run makes no difference to them.
func WithinFiles() []string { return []string{KindAssignment, KindImport, KindParameter} }

// unreads finds what is bound in files and not read.
func unreads(ctx context.Context, x *store.View, want string) (*result, error) {
	r := &result{notLooked: []string{}}
	defer func() { sortFindings(r.findings) }()
	if want == KindAssignment {
		return r, r.assignments(ctx, x)
	}
	files, left, err := binding.Unread(ctx, x, want)
	if err != nil {
		return nil, fmt.Errorf("find what is not read: %w", err)
	}
	for i := range files {
		f := &files[i]
		one := lookedAt{path: f.Record.Path, lang: f.Record.Lang}
		one.count[slices.Index(kindNames[:], want)] = f.Looked
		r.files = append(r.files, one)
		for k := range f.Unread {
			b := &f.Unread[k]
			symbol := b.Name
			if b.Function != "" {
				symbol = b.Function + "." + b.Name
			}
			r.findings = append(r.findings, Finding{
				Place: answer.Place{File: f.Record.Path, Line: b.Line, Symbol: symbol}, EndLine: b.EndLine, Kind: want, Lang: f.Record.Lang,
				Confidence: Confidences()[b.Doubt], Reason: Unused, Why: b.Why, Exported: b.Exported, Test: f.Record.Traits.Test,
			})
		}
	}
	r.notLooked = append(r.notLooked, left...)
	r.gaps.Because("a name that something else in the file has, too, may be taken for read")
	return r, nil
}

// assignments takes the dead stores that diagnostics find.
func (r *result) assignments(ctx context.Context, x *store.View) error {
	a, err := diagnostics.Diagnostics(ctx, x, diagnostics.Query{Kind: []string{diagnostics.DeadStore}, Limit: 1 << 30})
	if err != nil {
		return fmt.Errorf("find dead stores: %w", err)
	}
	r.notLooked = append(r.notLooked, a.NotLookedAt...)
	if len(a.Cuts) > 0 {
		return context.DeadlineExceeded
	}
	for i := range a.Findings {
		one := &a.Findings[i]
		in := x.Record(one.File)
		if in == nil || in.Traits.Vendored {
			continue
		}
		text := in.Text.All()
		at, _ := source.LineAt(text, one.Line-1)
		at += one.Column - 1
		end := at
		for end < len(text) && inWord(text[end]) {
			end++
		}
		symbol := string(text[min(at, len(text)):end])
		if one.Symbol != "" {
			symbol = one.Symbol + "." + symbol
		}
		r.findings = append(r.findings, Finding{
			Place: answer.Place{File: one.File, Line: one.Line, Symbol: symbol}, EndLine: one.EndLine, Kind: KindAssignment, Lang: in.Lang,
			Confidence: one.Confidence, Reason: Unused, Why: "what looks at the variables of a running function may read it", Test: in.Traits.Test,
		})
	}
	r.gaps.Because("what may be read in a way that cannot be followed is taken for read")
	return nil
}
