package project

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/quarry-search/quarry/api/wire"
)

// IsPattern reports whether a selector of several projects is for any number of them.
func IsPattern(selector string) bool {
	return strings.Contains(selector, "*") && !filepath.IsAbs(selector)
}

// Matches reports whether a project is one that a pattern is for: * alone is all; else * is any part of a name
// up to the next slash, and ** any number of them.
func Matches(pattern, name string) bool {
	if pattern == "*" {
		return true
	}
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}

// CheckPattern says what is wrong with a pattern, nil for nothing.
func CheckPattern(pattern string) error {
	if !doublestar.ValidatePattern(pattern) {
		return wire.Problemf(wire.CodeInvalidRequest, "projects has the pattern %q, which is malformed", pattern)
	}
	return nil
}

// MaxNamed is how many projects a request may name.
const MaxNamed = 32

// Others are servers besides this one, of which each answers for projects of its own.
type Others interface {
	// Choose says which projects a question of some words asks, of those that selectors are for and
	// that there are for whoever asks: not more than there is time for.
	Choose(ctx context.Context, selectors, words []string) (*Choice, error)
	// Several reports whether there is more than one project for whoever asks.
	Several(ctx context.Context) bool
	// Between reports whether one of the others asks: it says which projects, and answers for what
	// it has been told.
	Between(ctx context.Context) bool
}

// A Choice is the projects that a question asks.
type Choice struct {
	Names   []string // in the order in which results come that are as good
	Here    []string // those of them that this server asks itself
	Acquire func(ctx context.Context, name string) (p Project, release func(), err error)
	Unasked []wire.UnaskedProject
	// Ask has the others answer a question for the rest. What they do not answer is unasked. Its
	// error is one that all of them would give. nil: there is no rest.
	Ask func(ctx context.Context, q Question) (unasked []wire.UnaskedProject, err error)
}

// A Question is what others are asked.
type Question struct {
	Endpoint string // its path
	// Of returns the request for some of the projects.
	Of func(names []string) any
	// Take takes what one of the others has answered, and returns what that has not asked. It is called by one
	// goroutine at a time.
	Take func(answer []byte) (*wire.Unasked, error)
}

// QuestionOf returns a question whose answers are of a type.
func QuestionOf[A any](endpoint string, of func(names []string) any, take func(answer *A) (*wire.Unasked, error)) Question {
	return Question{Endpoint: endpoint, Of: of, Take: func(text []byte) (*wire.Unasked, error) {
		answer := new(A)
		if err := json.Unmarshal(text, answer); err != nil {
			return nil, err
		}
		return take(answer)
	}}
}
