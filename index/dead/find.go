package dead

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/calls"
	"github.com/quarry-search/quarry/index/internal/convention"
	"github.com/quarry-search/quarry/index/internal/ir"
	"github.com/quarry-search/quarry/index/internal/line"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/texts"
)

// A result is all that was found, of which answers give pages.
type result struct {
	key       string
	findings  []Finding
	files     []lookedAt
	notLooked []string
	gaps      calls.Gaps
}

// lookedAt is how many symbols of a file could have been dead, by kind.
type lookedAt struct {
	path, lang string
	count      [len(kindNames)]int
}

// maxResults is how many results of one state are kept: questions differ in what they begin with.
const maxResults = 3

// results are those of the present state.
type results struct {
	mu                  sync.Mutex
	generation, version uint64
	list                []*result
}

// Forget lets go of what is no longer so.
func (k *results) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = nil
}

// resultOf returns the result for a question, which is made where there is none of the present
// state.
func resultOf(ctx context.Context, x *store.View, q *Query) (*result, error) {
	k := store.Kept[results](x)
	key := strings.Join(append([]string{q.Exports}, q.Entries...), "\x00")
	within := slices.Contains(WithinFiles(), q.Kind)
	if within {
		key = "\x00" + q.Kind
	}
	get := func() *result {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.generation != x.Counters.Generation.Load() || k.version != x.Graph.Version.Load() {
			k.list = nil
		}
		for _, r := range k.list {
			if r.key == key {
				return r
			}
		}
		return nil
	}
	if r := get(); r != nil {
		return r, nil
	}
	generation, version := x.Counters.Generation.Load(), x.Graph.Version.Load()
	var r *result
	var err error
	if within {
		r, err = unreads(ctx, x, q.Kind)
	} else {
		r, err = find(ctx, x, q)
	}
	if err != nil {
		return nil, err
	}
	r.key = key
	k.mu.Lock()
	defer k.mu.Unlock()
	if generation == x.Counters.Generation.Load() && version == x.Graph.Version.Load() {
		if k.generation != generation || k.version != version {
			k.list = nil
		}
		k.generation, k.version = generation, version
		k.list = append([]*result{r}, k.list[:min(len(k.list), maxResults-1)]...)
	}
	return r, nil
}

// find looks for all dead code.
func find(ctx context.Context, x *store.View, q *Query) (r *result, err error) {
	sources, err := texts.SourcesOf(ctx, x)
	if err != nil {
		return nil, err
	}
	every, err := texts.Compile(`.`, line.Options{})
	if err != nil {
		return nil, err
	}
	search := &texts.Search{Index: x, Pattern: every, Sources: sources, Files: sources.Files}
	search.Look()
	r = &result{}
	calls.WalkGraph(ctx, x, func(w *calls.Walk) {
		p := &program{view: x, walk: w, offered: q.Exports}
		if err = p.collect(ctx, sources.Files, search); err != nil {
			return
		}
		if err = p.scan(ctx, search); err != nil {
			return
		}
		p.noteUnread(sources)
		p.packages, p.contracts = p.packagesOf(), p.contractsOf()
		var roots []bool
		if roots, err = p.roots(q); err != nil {
			return
		}
		p.doubts, p.keepers, p.owns = newMemo(p, p.doubted), newMemo(p, p.kept), newMemo(p, func(i int32) bool { return p.namesOwn(&p.items[i]) })
		var both [2]*reach // with tests, and without
		if err = each(ctx, len(both), func(_, n int) { both[n] = p.reached(roots, q.Exports, n == 0) }); err != nil {
			return
		}
		p.report(r, q, roots, both[0], both[1])
		r.notLooked = notLooked(sources.Files)
		if n := len(p.unread); n > 0 {
			r.gaps.Unread(n, p.unread[0])
		}
	})
	r.gaps.Because("dead code whose name something else has, too, may be taken for alive")
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}

// notLooked says of what dead code is not looked for.
func notLooked(files []texts.Source) []string {
	list := []string{"assignments", "fields", "imports", "macros", "parameters"}
	var langs []string
	for i := range files {
		if r := files[i].Record; r != nil && r.Grammar && convention.Family(r.Lang) == "" && slices.ContainsFunc(r.Symbols, func(s store.Symbol) bool { return store.Runs(s.Kind()) }) && !slices.Contains(langs, r.Lang) {
			langs = append(langs, r.Lang)
		}
	}
	slices.Sort(langs)
	for _, l := range langs {
		list = append(list, "code in "+l)
	}
	return list
}

// report makes findings of what was not reached: by all, and without the tests.
func (p *program) report(r *result, q *Query, roots []bool, all, product *reach) {
	found := map[int32]int{} // by item
	for i := range p.items {
		if !p.reported(int32(i)) {
			continue
		}
		one := &p.items[i]
		if n := len(r.files); n == 0 || r.files[n-1].path != one.Record.Path {
			r.files = append(r.files, lookedAt{path: one.Record.Path, lang: one.Record.Lang})
		}
		r.files[len(r.files)-1].count[one.Kind]++
		by, reason := all, Unused
		if all.stage[i] == uint8(sure)+1 {
			if product.stage[i] == uint8(sure)+1 || p.testCode(int32(i)) {
				continue
			}
			by, reason = product, OnlyTests
		}
		f := Finding{
			Place: one.Record.Place(one.Number), EndLine: int(one.Sym().Last), Kind: kindNames[one.Kind], Lang: one.Record.Lang, Reason: reason,
			Exported: one.Public, Test: p.testCode(int32(i)),
		}
		f.Confidence, f.Why = p.judge(int32(i), by)
		found[int32(i)] = len(r.findings)
		r.findings = append(r.findings, f)
	}
	p.unusedFolders(r.findings, roots)
	p.group(r, found, all)
	p.exports(r, q, all)
	sortFindings(r.findings)
}

// reported reports whether an item is one to be reported if it is dead.
func (p *program) reported(i int32) bool {
	one := &p.items[i]
	t := &one.Record.Traits
	return one.Kind != convention.Makes && one.Flags&(ir.Prototype|ir.Abstract|ir.Operator|ir.Entry) == 0 && (one.Flags&ir.TestFunc == 0 || one.Shown) && !t.Vendored && !t.Declaration
}

// judge says how sure it is that an item is dead, and what could still use it.
func (p *program) judge(i int32, by *reach) (confidence, why string) {
	switch by.stage[i] {
	case uint8(doubtful) + 1:
		return Possible, p.why(i, by)
	case uint8(anyName) + 1:
		return Likely, p.why(i, by)
	}
	return Certain, ""
}

// why says what could use an item, by the way on which it was reached.
func (p *program) why(i int32, by *reach) string {
	name := p.items[i].Sym().Name
	if by.how[i] == doubted {
		return p.doubts.of(i).why
	}
	at, from := i, by.via[i]
	if from < 0 {
		return map[how]string{asked: "an interface in generated code has it"}[by.how[i]]
	}
	l := by.line[at]
	if n := int(from) - len(p.items) - len(p.files); n >= 0 { // by way of a name
		l, at, from = by.line[from], from, by.via[from]
	}
	var user, file string
	if p.ofBlock(from) {
		return "generated code uses it, and may be alive itself"
	}
	if int(from) < len(p.items) {
		place := p.items[from].Record.Place(p.items[from].Number)
		user, file = place.Symbol, place.File
		if l == 0 {
			l = uint32(place.Line)
		}
	} else {
		file = p.files[int(from)-len(p.items)].path
	}
	if from >= 0 && by.stage[from] > uint8(sure)+1 {
		return fmt.Sprintf("%s uses it in %s:%d, and may be alive itself", user, file, l)
	}
	switch by.how[at] {
	case quoted:
		return fmt.Sprintf("a string has the name %s in %s:%d", name, file, l)
	case config:
		return fmt.Sprintf("%s:%d has the name %s", file, l, name)
	case interfaced:
		return user + " may become an interface of a package that is not in the index"
	case asked:
		return "the interface " + user + " has it"
	case unsure:
		return fmt.Sprintf("the name %s stands in %s:%d, where it is not known what it means", name, file, l)
	}
	return fmt.Sprintf("%s keeps it in %s:%d", user, file, l)
}

// group finds the dead users of what is dead, and says with what nothing uses it is.
func (p *program) group(r *result, found map[int32]int, all *reach) {
	users := map[int32][]int32{} // of findings, findings
	add := func(to, from int32) {
		if _, ok := found[to]; ok && to != from && r.findings[found[to]].Reason != OnlyTests && len(users[to]) < 100 && !slices.Contains(users[to], from) {
			users[to] = append(users[to], from)
		}
	}
	named := map[int32][]int32{}
	order := slices.Sorted(maps.Keys(found))
	for _, from := range order {
		if all.stage[from] == uint8(sure)+1 {
			continue
		}
		for _, l := range p.links[p.from[from]:p.from[from+1]] {
			if int(l.to) < len(p.items) {
				add(l.to, from)
			} else if l.how == known && int(l.to) >= len(p.items)+len(p.files) {
				named[l.to] = append(named[l.to], from)
			}
		}
		if up := p.items[from].up; up >= 0 {
			add(up, from)
		}
	}
	for _, node := range slices.Sorted(maps.Keys(named)) {
		list := named[node]
		n := int(node) - len(p.items) - len(p.files)
		of := p.spots[n/2].code
		if n%2 == 1 {
			of = p.spots[n/2].rest
		}
		for _, to := range of {
			for _, from := range list[:min(len(list), maxUsers)] {
				add(to, from)
			}
		}
	}
	for _, i := range order {
		f := &r.findings[found[i]]
		if f.Reason != Unused {
			continue
		}
		list := users[i]
		outside := list[:0:0]
		for _, u := range list {
			if p.items[u].up != i || p.items[i].Kind != convention.Class { // what is in it is no user of it
				outside = append(outside, u)
			}
		}
		up := p.items[i].up
		if at, in := found[up]; in && r.findings[at].Reason != OnlyTests && p.items[up].Kind == convention.Class && len(outside) == 0 {
			outside = []int32{up}
		}
		users[i] = outside
		if len(outside) > 0 {
			f.Reason = DeadUsers
			slices.Sort(outside)
			for _, u := range outside[:min(len(outside), maxUsers)] {
				f.Users = append(f.Users, p.items[u].Record.Place(p.items[u].Number))
			}
		}
	}
	for i, n := range found {
		if root := p.rootOf(i, users); root != i {
			at := p.items[root].Record.Place(p.items[root].Number)
			r.findings[n].Root = &at
		}
	}
}

// rootOf returns what uses an item and is used by nothing itself, or the first of those that use
// each other.
func (p *program) rootOf(i int32, users map[int32][]int32) int32 {
	seen := map[int32]bool{i: true}
	queue := []int32{i}
	root := int32(-1)
	least := i
	for len(queue) > 0 && len(seen) < 1000 {
		at := queue[0]
		queue = queue[1:]
		if len(users[at]) == 0 && (root < 0 || at < root) {
			root = at
		}
		least = min(least, at)
		for _, u := range users[at] {
			if !seen[u] {
				seen[u] = true
				queue = append(queue, u)
			}
		}
	}
	if root < 0 {
		return least
	}
	return root
}

// exports finds what is exported from modules of JavaScript, and only used where it is.
func (p *program) exports(r *result, q *Query, all *reach) {
	elsewhere := make([]bool, p.nodes())
	home := make([]*store.Record, p.nodes()) // the file that a name is in, as far as it is one
	for _, l := range p.links {
		rec := p.recordAt(l.from)
		switch {
		case home[l.to] == nil && rec != nil:
			home[l.to] = rec
		case home[l.to] != rec:
			elsewhere[l.to] = true
		}
	}
	for i := range p.items {
		one := &p.items[i]
		if convention.Family(one.Record.Lang) != "javascript" || !one.Public || one.up >= 0 || all.stage[i] != uint8(sure)+1 || !p.reported(int32(i)) || p.testCode(int32(i)) || p.api(int32(i), q.Exports) || p.keepers.of(int32(i)) != "" {
			continue
		}
		used := elsewhere[i] || home[i] != nil && home[i] != one.Record
		for _, sc := range p.names[one.name].scopes {
			for _, node := range []int32{p.codeNode(sc.spot), p.restNode(sc.spot)} {
				used = used || elsewhere[node] || home[node] != nil && home[node] != one.Record
			}
		}
		if !used && !strings.Contains(one.Record.Path, ".config.") {
			r.findings = append(r.findings, Finding{
				Place: one.Record.Place(one.Number), EndLine: int(one.Sym().Last), Kind: KindExport, Lang: one.Record.Lang, Confidence: Likely, Reason: OnlyHere,
				Why: "what loads its module may use it", Exported: true,
			})
		}
	}
}

// recordAt is the file of an item or a file; nil: the index has it not.
func (p *program) recordAt(node int32) *store.Record {
	if p.ofBlock(node) {
		return nil
	}
	if int(node) < len(p.items) {
		return p.items[node].Record
	}
	return p.files[int(node)-len(p.items)].record
}
