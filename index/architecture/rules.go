package architecture

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/quarry-search/quarry/index/internal/store"
)

// RulesFile is where a root has its rules, in a table [architecture].
const RulesFile = "quarry.toml"

// maxRules bounds how many layers and rules there may be.
const maxRules = 200

// Rules say who may depend on whom. Globs are of files.
type Rules struct {
	Kinds   []string    `toml:"kinds"`   // of dependencies that are checked; none: as of a Query
	Acyclic bool        `toml:"acyclic"` // no modules may depend on each other in a cycle, as the Query has them
	Layers  []RuleLayer `toml:"layers"`  // the highest first: none may depend on one before it
	Forbid  []Rule      `toml:"forbid"`  // files of From must not depend on files of To
	Allow   []Rule      `toml:"allow"`   // files of From may depend on no files but those of To, and on one another
	Except  []Rule      `toml:"except"`  // what no rule forbids
}

// A RuleLayer is files in one layer. A file is in the first layer that has it.
type RuleLayer struct {
	Name   string   `toml:"name"`
	Files  []string `toml:"files"`
	Closed bool     `toml:"closed"` // it may depend on the next layer only, not on those after that
}

// A Rule is about dependencies of some files on others.
type Rule struct {
	Name string   `toml:"name"`
	From []string `toml:"from"`
	To   []string `toml:"to"`
}

// A RulesError says what is wrong with rules.
type RulesError struct {
	From   string // request or quarry.toml
	Line   int    // 0: it is not known
	Reason string
}

// RulesOf begins the sentence that a RulesError says.
const RulesOf = "the rules of the "

func (e *RulesError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf(RulesOf+"%s cannot be used: line %d: %s", e.From, e.Line, e.Reason)
	}
	return fmt.Sprintf(RulesOf+"%s cannot be used: %s", e.From, e.Reason)
}

// A Violation is a dependency of one file on another that a rule forbids.
type Violation struct {
	Rule  string   `json:"rule"`  // its name
	From  string   `json:"from"`  // the file
	To    string   `json:"to"`    // the file, or the folder of a package that is imported
	File  string   `json:"file"`  // of the place: From
	Line  int      `json:"line"`  // of the first
	Kind  string   `json:"kind"`  // imports, type_imports, types or calls; cycle
	Count int      `json:"count"` // how many there are
	Text  string   `json:"text"`  // a sentence
	Cycle []string `json:"cycle,omitempty"`
}

// A ruleSet is Rules, read.
type ruleSet struct {
	Rules
	layers []store.Filter
	forbid []filters
	allow  []filters
	except []filters
}

type filters struct{ from, to store.Filter }

// rulesOf reads the rules of a request, or else those of the root; nil: there are none.
func rulesOf(x *store.View, text string) (rules *ruleSet, from string, err error) {
	from = "request"
	if strings.TrimSpace(text) == "" {
		record := x.Record(RulesFile)
		if record == nil {
			return nil, "", nil
		}
		text, from = string(record.Text.All()), RulesFile
	}
	var doc struct {
		Architecture *Rules `toml:"architecture"`
	}
	if from == "request" {
		err = toml.NewDecoder(bytes.NewReader([]byte(text))).DisallowUnknownFields().Decode(&doc)
	} else {
		err = decodeTable(text, &doc.Architecture)
	}
	if err != nil {
		return nil, from, rulesError(from, err)
	}
	if doc.Architecture == nil {
		if from == "request" {
			return nil, from, &RulesError{from, 0, "there is no table [architecture]"}
		}
		return nil, "", nil
	}
	if rules, err = doc.Architecture.read(); err != nil {
		return nil, from, &RulesError{from, 0, err.Error()}
	}
	return rules, from, nil
}

// decodeTable reads the table [architecture] of a file that may have others.
func decodeTable(text string, to **Rules) error {
	var doc map[string]any
	if err := toml.Unmarshal([]byte(text), &doc); err != nil {
		return err
	}
	table, ok := doc["architecture"]
	if !ok {
		return nil
	}
	alone, err := toml.Marshal(map[string]any{"architecture": table})
	if err != nil {
		return err
	}
	var one struct {
		Architecture *Rules `toml:"architecture"`
	}
	if err := toml.NewDecoder(bytes.NewReader(alone)).DisallowUnknownFields().Decode(&one); err != nil {
		// Its lines are those of a text that nobody has.
		if missing := (*toml.StrictMissingError)(nil); errors.As(err, &missing) && len(missing.Errors) > 0 {
			return fmt.Errorf("the key %s is not known", strings.Join(missing.Errors[0].Key(), "."))
		}
		if wrong := (*toml.DecodeError)(nil); errors.As(err, &wrong) {
			return errors.New(wrongValue(wrong))
		}
		return err
	}
	*to = one.Architecture
	return nil
}

func rulesError(from string, err error) error {
	if missing := (*toml.StrictMissingError)(nil); errors.As(err, &missing) && len(missing.Errors) > 0 {
		line, _ := missing.Errors[0].Position()
		return &RulesError{from, line, fmt.Sprintf("the key %s is not known", strings.Join(missing.Errors[0].Key(), "."))}
	}
	if wrong := (*toml.DecodeError)(nil); errors.As(err, &wrong) {
		line, _ := wrong.Position()
		return &RulesError{from, line, wrongValue(wrong)}
	}
	return &RulesError{from, 0, err.Error()}
}

// wrongValue says what is wrong with a value, or with the syntax.
func wrongValue(err *toml.DecodeError) string {
	if key := strings.Join(err.Key(), "."); key != "" && strings.Contains(err.Error(), "struct field") {
		return key + " has a value of another kind than is wanted"
	}
	return strings.TrimPrefix(err.Error(), "toml: ")
}

// read checks rules and makes their filters.
func (r *Rules) read() (*ruleSet, error) {
	set := &ruleSet{Rules: *r}
	for _, k := range r.Kinds {
		if !slices.Contains(kindNames[:], k) {
			return nil, fmt.Errorf("kind %q is not known; the kinds are imports, type_imports, types and calls", k)
		}
	}
	if n := len(r.Layers) + len(r.Forbid) + len(r.Allow) + len(r.Except); n > maxRules {
		return nil, fmt.Errorf("there are %d layers and rules, more than %d", n, maxRules)
	} else if n == len(r.Except) && !r.Acyclic {
		return nil, errors.New("there is no rule in them: layers, forbid, allow or acyclic")
	}
	glob := func(what string, list []string) (store.Filter, error) {
		if len(list) == 0 {
			return store.Filter{}, fmt.Errorf("%s has no globs", what)
		}
		if err := store.CheckGlobs(list); err != nil {
			return store.Filter{}, fmt.Errorf("%s: %w", what, err)
		}
		return store.NewFilter(store.Scope{Glob: list}), nil
	}
	for i, l := range r.Layers {
		f, err := glob(fmt.Sprintf("layer %s", cmp.Or(l.Name, fmt.Sprint(i+1))), l.Files)
		if err != nil {
			return nil, err
		}
		set.layers = append(set.layers, f)
	}
	for _, list := range []struct {
		what  string
		rules []Rule
		to    *[]filters
	}{{"forbid", r.Forbid, &set.forbid}, {"allow", r.Allow, &set.allow}, {"except", r.Except, &set.except}} {
		for i, one := range list.rules {
			name := fmt.Sprintf("%s %s", list.what, cmp.Or(one.Name, fmt.Sprint(i+1)))
			from, err := glob(name+": from", one.From)
			if err != nil {
				return nil, err
			}
			to, err := glob(name+": to", one.To)
			if err != nil {
				return nil, err
			}
			*list.to = append(*list.to, filters{from, to})
		}
	}
	return set, nil
}

// check lists what breaks the rules, by place.
func (r *ruleSet) check(s *system) []Violation {
	all := []Violation{}
	t := targets{s, map[string][]string{}}
	counts := func(l *link) bool {
		if len(r.Kinds) == 0 {
			return s.depends(l)
		}
		return slices.Contains(r.Kinds, kindNames[l.kind])
	}
	for i := range s.program.links {
		l := &s.program.links[i]
		if s.of[l.from] < 0 || !s.wants(l) || !counts(l) {
			continue
		}
		from := s.program.files[l.from].path
		name, to := t.of(l.to)
		if len(to) == 0 || t.any(to, from, r.except) {
			continue
		}
		for _, v := range r.broken(from, to) {
			v.From, v.File, v.To, v.Line, v.Kind, v.Count = from, from, name, l.line, kindNames[l.kind], l.count
			all = append(all, v)
		}
	}
	if r.Acyclic {
		for _, c := range s.listsOnce().cycles {
			at := c.Cut[0]
			all = append(all, Violation{
				Rule: "acyclic", From: at.From, To: at.To, File: at.File, Line: at.Line, Kind: "cycle", Count: c.Edges, Cycle: c.Path,
				Text: fmt.Sprintf("%d modules depend on each other in a cycle: %s", len(c.Modules), strings.Join(append(slices.Clone(c.Path), c.Path[0]), " -> ")),
			})
		}
	}
	slices.SortStableFunc(all, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

// targets are the files that links lead to.
type targets struct {
	*system
	folder map[string][]string
}

// of names what a link leads to, and returns its files that are looked at.
func (t *targets) of(n int32) (name string, files []string) {
	if int(n) < len(t.program.files) {
		if name = t.program.files[n].path; t.system.of[n] >= 0 {
			files = []string{name}
		}
		return name, files
	}
	if len(t.folder) == 0 {
		for _, i := range t.system.files {
			if f := &t.program.files[i]; !f.apart {
				t.folder[f.dir] = append(t.folder[f.dir], f.path)
			}
		}
	}
	dir := t.program.folders[int(n)-len(t.program.files)]
	return folderName(dir), t.folder[dir]
}

// any reports whether one of some pairs of filters holds for a file and one of those that it leads to.
func (t *targets) any(to []string, from string, list []filters) bool {
	return slices.ContainsFunc(list, func(f filters) bool { return f.from.Holds(from) && holds(&f.to, to) })
}

// holds reports whether a filter holds for one of some files.
func holds(f *store.Filter, files []string) bool { return slices.ContainsFunc(files, f.Holds) }

// broken returns the rules that a dependency breaks.
func (r *ruleSet) broken(from string, to []string) (all []Violation) {
	a, b := r.layerOf([]string{from}), r.layerOf(to)
	if a >= 0 && b >= 0 {
		name := func(i int) string { return cmp.Or(r.Layers[i].Name, fmt.Sprintf("layer %d", i+1)) }
		switch {
		case b < a:
			all = append(all, Violation{Rule: "layers", Text: fmt.Sprintf("%s must not depend on %s, which is above it", name(a), name(b))})
		case b > a+1 && r.Layers[a].Closed:
			all = append(all, Violation{Rule: "layers", Text: fmt.Sprintf("%s may depend on %s only, not on %s", name(a), name(a+1), name(b))})
		}
	}
	for i := range r.forbid {
		if f := &r.forbid[i]; f.from.Holds(from) && holds(&f.to, to) {
			one := &r.Forbid[i]
			all = append(all, Violation{Rule: cmp.Or(one.Name, fmt.Sprintf("forbid %d", i+1)), Text: fmt.Sprintf("%s must not depend on %s", strings.Join(one.From, ", "), strings.Join(one.To, ", "))})
		}
	}
	for i := range r.allow {
		if f := &r.allow[i]; f.from.Holds(from) && !holds(&f.to, to) && !holds(&f.from, to) {
			one := &r.Allow[i]
			all = append(all, Violation{Rule: cmp.Or(one.Name, fmt.Sprintf("allow %d", i+1)), Text: fmt.Sprintf("%s may depend on %s only", strings.Join(one.From, ", "), strings.Join(one.To, ", "))})
		}
	}
	return all
}

// layerOf returns the first layer that has one of some files, or -1.
func (r *ruleSet) layerOf(files []string) int {
	for i := range r.layers {
		if holds(&r.layers[i], files) {
			return i
		}
	}
	return -1
}
