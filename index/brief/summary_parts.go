package brief

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/summary"
	"github.com/quarry-search/quarry/index/summary/code"
)

// A summaryPart is one line of a summary: a file, or a folder.
type summaryPart struct {
	path   string
	record *store.Record // nil: a folder
	branch *branch
	worth  int
	given  bool // it was asked for, not only found in what was
	open   bool // a folder whose content has lines of its own
}

// filePart and folderPart make a part, whose worth takes going through its symbols.
func filePart(r *store.Record) summaryPart {
	return summaryPart{path: r.Path, record: r, worth: value(r)}
}

func folderPart(b *branch) summaryPart {
	return summaryPart{path: b.folder, branch: b, worth: b.value()}
}

// list is level 0: the paths, as many as fit. A folder that all of few are in is told
// once where there is no room for more.
func (s *summing) list(files []*store.Record) {
	names := make([]string, len(files))
	for i, r := range files {
		names[i] = r.Path
	}
	if len(names) == 0 {
		return
	}
	text := func(n int, common string) string {
		var b strings.Builder
		b.WriteString("Files: ")
		if common != "" {
			b.WriteString(common + "{")
		}
		for i, name := range names[:n] {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strings.TrimPrefix(name, common))
		}
		if common != "" {
			b.WriteString("}")
		}
		if left := len(names) - n; left > 0 {
			if n > 0 {
				b.WriteString(" ")
			}
			fmt.Fprintf(&b, "(+%d more files)", left)
		}
		return b.String()
	}
	if whole := text(len(names), ""); s.count(whole) <= s.limit {
		s.out.Text = whole
		return
	}
	common := commonFolder(names)
	n := fitting(len(names), func(n int) bool { return s.count(text(n, common)) <= s.limit })
	if n < 2 {
		common = ""
		n = fitting(1, func(n int) bool { return s.count(text(n, "")) <= s.limit })
	}
	s.out.Text, s.out.Truncated = text(n, common), n < len(names)
}

// fitting returns the largest number up to n for which fits is true, if it is not for any
// larger one; 0 if it is for none.
func fitting(n int, fits func(int) bool) int {
	return max(sort.Search(n+1, func(i int) bool { return i > 0 && !fits(i) })-1, 0)
}

// commonFolder is the folder that all paths are in, with its slash; "" for none.
func commonFolder(names []string) string {
	common := path.Dir(names[0]) + "/"
	for _, n := range names[1:] {
		for common != "./" && !strings.HasPrefix(n, common) {
			common = path.Dir(strings.TrimSuffix(common, "/")) + "/"
		}
	}
	if common == "./" || common == "//" {
		return ""
	}
	return common
}

// expand puts what is in a folder behind the folder's own line: its folders, and files.
// Where there is room for more lines, the folders that are worth the most are expanded,
// too.
func expand(parts []summaryPart, lines int) []summaryPart {
	var all []summaryPart
	for _, p := range parts {
		if p.record == nil {
			p.open = true
		}
		all = append(all, p)
		if p.open {
			all = append(all, p.branch.children()...)
		}
	}
	closed := map[string]bool{} // too large
	for {
		best := -1
		for i := range all {
			if p := &all[i]; p.record == nil && !p.open && !closed[p.path] && (best < 0 || p.worth > all[best].worth) {
				best = i
			}
		}
		if best < 0 {
			return all
		}
		inner := all[best].branch.children()
		if len(all)+len(inner) > lines {
			closed[all[best].path] = true
			continue
		}
		all[best].open = true
		all = slices.Insert(all, best+1, inner...)
	}
}

// once leaves out parts that come again: a file may be asked for along with its folder.
func once(parts []summaryPart) []summaryPart {
	seen := map[string]bool{}
	return slices.DeleteFunc(parts, func(p summaryPart) bool {
		again := seen[p.path]
		seen[p.path] = true
		return again
	})
}

// children are the parts of a folder. One that only holds another one stands for that.
func (b *branch) children() (all []summaryPart) {
	files, folders := b.inner()
	for len(files) == 0 && len(folders) == 1 {
		b = &folders[0]
		files, folders = b.inner()
	}
	for i := range folders {
		all = append(all, folderPart(&folders[i]))
	}
	for _, r := range files {
		all = append(all, filePart(r))
	}
	return all
}

// describe is levels 1 and 2: a line, or its details, for each part. What is worth the
// most is kept where there is not room for all.
func (s *summing) describe(ctx context.Context, parts []summaryPart, files []*store.Record) error {
	asked := len(parts)
	perLine := 25 // tokens, about
	if s.out.Level == summary.L2 {
		perLine = 90
	}
	parts = once(expand(parts, s.limit/perLine))
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		p, q := &parts[a], &parts[b]
		return cmp.Or(-compareBool(p.given, q.given), cmp.Compare(q.worth, p.worth))
	})
	// Characters for each line: few files share what there is.
	most := 1 << 10
	characters := 4 * s.limit
	if s.few = len(files) <= fewFiles && asked == len(parts); s.few {
		most = characters/max(len(parts), 1) - 1
	}
	if s.out.Level == summary.L2 {
		most = max(characters/max(len(parts), 1)-1, 300)
		if s.few {
			most = characters*9/10/len(parts) - 1 // names cost more than the estimate
		}
	}
	lines := make([]string, len(parts))
	kept := make([]bool, len(parts))
	used, left := 0, 0
	for _, i := range order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if left > 0 && used >= s.limit-8 {
			left++
			continue
		}
		lines[i] = s.partLine(&parts[i], most)
		if n := s.count(lines[i] + "\n"); used+n <= s.limit {
			used += n
			kept[i] = true
			continue
		}
		left++
	}
	for {
		text := s.join(parts, lines, kept)
		if s.count(text) <= s.limit {
			s.out.Text = text
			return nil
		}
		i := slices.IndexFunc(order, func(i int) bool { return kept[i] })
		if i < 0 {
			s.out.Text = text
			return nil
		}
		for n := len(order) - 1; n >= 0; n-- { // the least of them goes
			if kept[order[n]] {
				kept[order[n]] = false
				break
			}
		}
	}
}

// join puts the kept lines together, and says how many files no line stands for.
func (s *summing) join(parts []summaryPart, lines []string, kept []bool) string {
	var out []string
	covered, all := map[*store.Record]bool{}, map[*store.Record]bool{}
	for i := range parts {
		p := &parts[i]
		if kept[i] {
			out = append(out, lines[i])
		}
		files := []*store.Record{p.record}
		if p.record == nil {
			files = p.branch.files
		}
		for _, r := range files {
			all[r] = true
			// The line of an open folder is above those of what is in it.
			if kept[i] && !p.open {
				covered[r] = true
			}
		}
	}
	if left := len(all) - len(covered); left > 0 {
		s.out.Truncated = true
		out = append(out, fmt.Sprintf("(+%d more files)", left))
	}
	return strings.Join(out, "\n")
}

// A file of more than largeFile bytes has a line for each of its main symbols at level 1,
// where it has someLines characters or more.
const (
	largeFile = 4 << 10
	someLines = 250
)

// partLine is the line of a part, of at most so many characters where it can be.
func (s *summing) partLine(p *summaryPart, most int) string {
	name := p.path
	if p.record == nil {
		name = strings.TrimPrefix(p.path+"/", "/")
		if p.path == "" {
			name = path.Base(s.Root()) + "/"
		}
	}
	lead := "- " + name + ": "
	room := max(most-len([]rune(lead)), 20)
	var text string
	switch {
	case p.record == nil:
		text = code.Cut(folderLine(s.View, p.branch), room)
	case s.out.Level == summary.L2:
		text = code.FileDetail(detailFacts(s.View, p.record), room)
	case s.few && s.out.Level == summary.L1 && room >= someLines && p.record.Size > largeFile && !isText(p.record.Lang):
		called, _, _ := uses(s.View, p.record)
		text = code.FileOutline(fileFacts(s.View, p.record, called), room*4/5) // names cost more than the estimate
	case room < 120:
		text = code.Cut(fileLine(s.View, p.record), room)
	default:
		text = fileLine(s.View, p.record)
	}
	return strings.TrimSuffix(lead+text, ": ")
}
