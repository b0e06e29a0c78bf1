package index

import (
	"errors"
	"fmt"
)

// find is table.target for a text from outside, without the lock.
func (x *View) find(text string) (target, State, error) {
	at, state, err := x.findOnly(text)
	return at, state, x.suggest(err)
}

// findOnly is find without names that are like one that is missing: they take time.
func (x *View) findOnly(text string) (target, State, error) {
	text, err := x.locate(text)
	if err != nil {
		return target{}, State{}, err
	}
	x.mu.RLock()
	if x.closed {
		x.mu.RUnlock()
		return target{}, State{}, ErrClosed
	}
	at, err := x.table.target(text)
	state := x.State()
	x.mu.RUnlock()
	return at, state, err
}

// suggest completes a TargetError about a name with those that are like it. It
// looks at every name: 90 ms for the 130,000 of the Go distribution, on one core.
func (x *View) suggest(err error) error {
	var missing *TargetError
	if !errors.As(err, &missing) || missing.Nearest != nil {
		return err
	}
	x.mu.RLock()
	names := make([]string, 0, len(x.table.names))
	for _, list := range x.table.names {
		d := list[0]
		names = append(names, d.record.symbols[d.symbol].name)
	}
	x.mu.RUnlock()
	all := readings(missing.Target)
	missing.Nearest = nearestNames(all[len(all)-1].name, names)
	return missing
}

// filesOf returns the records that a filter admits, by path. The list must not be
// changed; records do not change, so that they are good without the lock.
func (x *View) filesOf(f *filter) ([]*record, State, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return nil, State{}, ErrClosed
	}
	files := x.table.below(f.path)
	if len(f.globs) == 0 && len(f.langs) == 0 {
		return files, x.State(), nil
	}
	var admitted []*record
	for _, r := range files {
		if f.file(r) {
			admitted = append(admitted, r)
		}
	}
	return admitted, x.State(), nil
}

// nothing is the error for a line outside of all definitions.
func (t *target) nothing() error {
	return &TargetError{Target: t.record.path, Reason: fmt.Sprintf("there is no definition at line %d of %s", t.line, t.record.path), Nearest: []string{}}
}

// oneFunction reports whether definitions of one name in one place are signatures of one
// function in a language, or one of them at a time.
func oneFunction(language string) bool {
	return crossFamily(language) == "javascript" || language == "python"
}

// crossFamily is the name under which the languages go that see each other's
// definitions; "" where calls are not followed into other roots.
func crossFamily(lang string) string {
	switch lang {
	case "go", "python", "rust", "csharp", "php":
		return lang
	case "typescript", "tsx", "javascript", "jsx", "vue", "svelte":
		return "javascript"
	case "java", "kotlin":
		return "jvm"
	}
	return ""
}

// filesByPath returns the files in a scope, in order.
func (x *View) filesByPath(q scope) ([]*record, State, error) {
	if err := checkGlobs(q.glob); err != nil {
		return nil, State{}, err
	}
	f := newFilter(q)
	files, state, err := x.filesOf(&f)
	if err != nil {
		return nil, state, err
	}
	return files, state, nil
}
