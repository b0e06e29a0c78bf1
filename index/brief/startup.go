package brief

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
	"github.com/quarry-search/quarry/index/search"
)

// Bounds of a Startup.
const (
	defaultStartup        = 1500 // tokens
	defaultStartupResults = 5
	taskResults           = 30  // of which the folders are taken that a task is about
	taskFolders           = 4   // of them at most
	taskShare             = 0.1 // of the score of the first one, the least that the others have
)

// A StartupQuery asks for what somebody should know who begins a task.
type StartupQuery struct {
	Task      string       // in words; "": none, and no results
	Entry     string       // where the program begins, as Extract reads it; "": the function main, if there is only one
	Limit     int          // results at most; 0: 5
	MaxTokens int          // what Text may cost; 0: 1500
	Sent      *answer.Sent // what the reader has, which becomes references; nil: nothing
}

// A StartupAnswer says what a codebase consists of, where it begins, and which code a task is
// about.
type StartupAnswer struct {
	Text      string          `json:"text"`                // all of it that fits
	Results   []search.Result `json:"results"`             // of a search for the task, brief; never nil
	Structure *Overview       `json:"structure,omitempty"` // of which Text has a beginning; nil: Text has nothing
	Entry     *ContextItem    `json:"entry,omitempty"`     // nil: there is none, or Text does not have it
	NoEntry   string          `json:"no_entry,omitempty"`  // why the entry that was asked for is left out
	Tokens    int             `json:"tokens"`              // of Text
	TokensRaw int             `json:"tokens_raw"`          // of the files that it names, whole

	Files       int            `json:"-"` // that Text names
	References  int            `json:"-"` // to what the reader has
	Given       []answer.Lines `json:"-"` // that Text shows
	answer.Page `json:"-"`
	State       answer.State `json:"-"`
}

// Startup answers with one text of three parts: the structure of the codebase, the folders
// that the task is about first, in at most a third of the budget, the entry point with what is around it in half of the rest, and the
// best results of a search for the task in what is left. Parts that there are not are left
// out. It returns the errors of Context, and those of Search.
func Startup(ctx context.Context, x *store.View, q StartupQuery) (StartupAnswer, error) {
	q.Limit, q.MaxTokens = cmp.Or(q.Limit, defaultStartupResults), cmp.Or(q.MaxTokens, defaultStartup)
	a := StartupAnswer{Results: []search.Result{}}
	found := search.Answer{State: x.State()}
	if strings.TrimSpace(q.Task) != "" {
		var err error
		if found, err = search.SearchUnchecked(ctx, x, search.Query{Text: q.Task, Limit: max(q.Limit, taskResults)}); err != nil {
			return a, err
		}
	}
	about := foldersAbout(x, found.Results)
	if len(found.Results) > q.Limit {
		found.Results = found.Results[:q.Limit]
		a.Cut(answer.CutLimit)
	}
	a.State, a.Total = found.State, found.Matches
	for _, c := range found.Cuts {
		a.Cut(c)
	}
	o, err := OverviewOf(x)
	if err != nil {
		return a, err
	}
	listed := len(o.Folders)
	var others int
	o.Folders, others = first(about, o.Folders)
	o.More += listed - others
	w := startupWriter{a: &a, files: map[string]int{}}
	w.structure(o, 4*q.MaxTokens/3)
	if err := w.entry(ctx, x, q, (4*q.MaxTokens-w.size)/2); err != nil {
		return a, err
	}
	w.related(found.Results, q.Sent, 4*q.MaxTokens-w.size)
	a.Text = w.text.String()
	a.Tokens, a.Files = answer.Tokens(w.size), len(w.files)
	for _, n := range w.files {
		a.TokensRaw += n
	}
	a.Checked = x.Check(&a, a.State.Generation)
	return a, nil
}

// foldersAbout returns the folders with the results of a search for a task, those with most
// of their scores first.
func foldersAbout(x *store.View, results []search.Result) []FolderAbout {
	score := map[string]float64{}
	var dirs []string
	for i := range results {
		r := &results[i]
		if r.Role != "" && r.Role != answer.RoleDefinition {
			continue
		}
		dir := path.Dir(r.File)
		if score[dir] == 0 {
			dirs = append(dirs, dir)
		}
		score[dir] += r.Score
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(score[b], score[a]) })
	var all []FolderAbout
	for _, dir := range dirs[:min(len(dirs), taskFolders)] {
		if score[dir] < taskShare*score[dirs[0]] {
			break
		}
		f := folder{path: dir}
		x.Mu.RLock()
		for _, r := range x.Table.Below(dir) {
			if path.Dir(r.Path) == dir {
				f.files = append(f.files, r)
			}
		}
		x.Mu.RUnlock()
		byPath(f.files)
		all = append(all, f.about(x))
	}
	return all
}

// first puts some folders before the others, of which the last ones are left out for them.
// It returns how many of the others there are, or are among the first.
func first(about, folders []FolderAbout) (all []FolderAbout, others int) {
	all = slices.Clone(about)
	for _, f := range folders {
		switch {
		case slices.ContainsFunc(about, func(a FolderAbout) bool { return a.Path == f.Path }):
			others++
		case len(all) < MaxFolders:
			all = append(all, f)
			others++
		}
	}
	return all, others
}

// A startupWriter makes the text of a Startup.
type startupWriter struct {
	a     *StartupAnswer
	text  strings.Builder
	size  int            // characters
	files map[string]int // tokens of those that are named
}

func (w *startupWriter) write(text string) {
	w.text.WriteString(text)
	w.size += utf8.RuneCountInString(text)
}

// lines writes a title and as many of some lines as fit, and returns how many: the lines
// from the first that does not fit are left out.
func (w *startupWriter) lines(title string, lines []string, room int) int {
	room -= utf8.RuneCountInString(title)
	for i, line := range lines {
		if room -= utf8.RuneCountInString(line); room < 0 {
			w.a.Cut(answer.CutTokens)
			return i
		}
		if i == 0 {
			w.write(title)
		}
		w.write(line)
	}
	return len(lines)
}

// structure writes the languages and the folders.
func (w *startupWriter) structure(o Overview, room int) {
	if o.Files == 0 {
		return
	}
	head := fmt.Sprintf("%s files", Grouped(o.Files))
	for i, l := range o.Languages {
		head += fmt.Sprintf("%c %s %.0f%%", ":,,,,"[i], l.Lang, 100*l.Share)
	}
	lines := []string{head + "\n"}
	for _, f := range o.Folders {
		line := fmt.Sprintf("- %s (%s)", f.Path, Grouped(f.Files))
		switch {
		case f.About != "":
			line += " " + f.About
		case len(f.Symbols) > 0:
			line += " " + strings.Join(f.Symbols, ", ")
		}
		lines = append(lines, line+"\n")
	}
	// What is not listed is counted, so that there must be room for that.
	more := func(n int) string { return fmt.Sprintf("and %s more folders\n", Grouped(n)) }
	if n := w.lines("## Codebase Structure\n", lines, room-len(more(999_999))); n > 0 {
		o.More += len(lines) - n
		o.Folders = o.Folders[:n-1]
		if o.More > 0 {
			w.write(more(o.More))
		}
		w.a.Structure = &o
	}
}

// entry writes the context of where the program begins.
func (w *startupWriter) entry(ctx context.Context, x *store.View, q StartupQuery, room int) error {
	const title = "## Entry Point Context\n"
	target := cmp.Or(q.Entry, onlyMain(x))
	if room -= len(title); target == "" || room < 4 {
		if target != "" {
			w.a.Cut(answer.CutTokens)
		}
		return nil
	}
	c, err := Context(ctx, x, ContextQuery{Target: target, MaxTokens: room / 4, Sent: q.Sent, inside: true})
	var unsupported *answer.UnsupportedError
	switch {
	case q.Entry == "" && err != nil && ctx.Err() == nil:
		return nil // nobody asked for it
	case errors.As(err, &unsupported):
		w.a.NoEntry = err.Error()
		return nil
	case err != nil:
		return err
	}
	if slices.Contains(c.Cuts, answer.CutTokens) {
		w.a.Cut(answer.CutTokens)
	}
	if c.Text == "" {
		return nil
	}
	w.write(title + c.Text)
	w.a.Entry = c.Definition
	if c.Definition == nil {
		w.a.Entry = &ContextItem{Definition: answer.Definition{File: c.file.Path, Line: 1, EndLine: c.file.Lines(), Lang: c.file.Lang, Signature: c.file.Path}}
	}
	w.a.Given = append(w.a.Given, c.Given...)
	w.a.References += c.References
	for path, n := range c.named {
		w.files[path] = n
	}
	return nil
}

// related writes where the task has its code.
func (w *startupWriter) related(results []search.Result, sent *answer.Sent, room int) {
	var lines []string
	for i := range results {
		r := results[i].BriefOf()
		known := ""
		if sent.Has(results[i].Lines()) {
			r, known = results[i].Reference(), " (sent before)"
		}
		lines = append(lines, fmt.Sprintf("- `%s:%d` - %s%s\n", r.File, r.Line, r.Signature, known))
		w.a.Results = append(w.a.Results, r)
	}
	w.a.Results = w.a.Results[:w.lines("## Related Code\n", lines, room)]
	for i := range w.a.Results {
		r := &w.a.Results[i]
		w.files[r.File] = r.FileTokens
		if r.Sent {
			w.a.References++
		} else {
			w.a.Given = append(w.a.Given, answer.Lines{File: r.File, Hash: r.FileHash, From: r.Line, To: r.Line})
		}
	}
}

// onlyMain returns the place of the function main, if there is only one in code that is
// neither test nor example, and its language begins there; "" otherwise: several programs
// have no one beginning.
func onlyMain(x *store.View) string {
	x.Mu.RLock()
	defer x.Mu.RUnlock()
	at := ""
	for _, d := range x.Table.Define("main") {
		s := &d.Record.Symbols[d.Symbol]
		if t := d.Record.Traits; !strings.EqualFold(s.Name, "main") || !store.Runs(s.Kind()) && s.Kind() != syntax.Function || t.Test || t.Example || t.Vendored ||
			!slices.Contains([]string{"c", "cpp", "csharp", "dart", "go", "java", "kotlin", "rust", "scala", "swift", "zig"}, d.Record.Lang) {
			continue
		}
		if at != "" {
			return ""
		}
		at = fmt.Sprintf("%s:%d", d.Record.Path, s.NameLine)
	}
	return at
}

func (a *StartupAnswer) Places(visit func(string, *bool)) {
	for i := range a.Results {
		visit(a.Results[i].File, &a.Results[i].Changed)
	}
	if a.Entry != nil {
		a.Entry.Visit(visit)
	}
}
