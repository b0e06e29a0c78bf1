package service

import (
	"context"
	"errors"
	"io/fs"

	"github.com/quarry-search/quarry/api/slot"
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/grep"
	"github.com/quarry-search/quarry/index/impact"
	"github.com/quarry-search/quarry/index/search"
)

// Classify says what a client is told about err. The text of an unexpected
// error stays in the log.
func Classify(err error) *wire.Problem {
	var p *wire.Problem
	var pattern *answer.PatternError
	var expression *grep.ExpressionError
	var signal *search.SignalError
	var place *answer.PlaceError
	var target *answer.TargetError
	var unsupported *answer.UnsupportedError
	var diff *impact.DiffError
	var project *ProjectError
	var root *RootError
	var busy *BusyError
	var file *grep.FileError
	var over *index.OverlayError
	var crowded *slot.CrowdedError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &project):
		return &wire.Problem{Code: wire.CodeWrongProject, Message: project.Error()}
	case errors.As(err, &root):
		if root.NotAllowed {
			return &wire.Problem{Code: wire.CodeForbiddenRoot, Message: root.Error()}
		}
		return &wire.Problem{Code: wire.CodeInvalidPath, Message: root.Error()}
	case errors.As(err, &busy):
		return &wire.Problem{Code: wire.CodeNoMemory, Message: busy.Error()}
	case errors.As(err, &crowded):
		return &wire.Problem{Code: wire.CodeRateLimited, Message: crowded.Error()}
	case errors.Is(err, index.ErrNoFolder):
		return &wire.Problem{Code: wire.CodeNoFolder, Message: index.ErrNoFolder.Error()}
	case errors.Is(err, index.ErrOutside):
		return &wire.Problem{Code: wire.CodeInvalidPath, Message: "the path is outside the root"}
	case errors.As(err, &pattern) && pattern.Unsupported:
		return &wire.Problem{Code: wire.CodeInvalidRequest, Message: pattern.Error()}
	case errors.As(err, &pattern):
		return &wire.Problem{Code: wire.CodeInvalidPattern, Message: pattern.Error()}
	case errors.As(err, &expression):
		return &wire.Problem{Code: wire.CodeInvalidRequest, Message: expression.Error()}
	case errors.As(err, &signal):
		return &wire.Problem{Code: wire.CodeInvalidRequest, Message: signal.Error()}
	case errors.As(err, &place):
		return &wire.Problem{Code: wire.CodeNotFound, Message: place.Error()}
	case errors.As(err, &target):
		return &wire.Problem{Code: wire.CodeNotFound, Message: target.Error()}
	case errors.As(err, &file):
		return fileProblem(file)
	case index.Transient(err):
		return &wire.Problem{Code: wire.CodeUnavailable, Message: "the system cannot do this now (" + index.Cause(err) + "); asked again, it may"}
	case errors.As(err, &over):
		return &wire.Problem{Code: wire.CodeInvalidRequest, Message: over.Error()}
	case errors.As(err, &diff):
		return &wire.Problem{Code: wire.CodeInvalidRequest, Message: diff.Error()}
	case errors.As(err, &unsupported):
		return &wire.Problem{Code: wire.CodeUnsupportedLanguage, Message: unsupported.Error()}
	case errors.Is(err, fs.ErrNotExist):
		return &wire.Problem{Code: wire.CodeNotFound, Message: "the path does not exist"}
	case errors.Is(err, search.ErrNoVectors):
		return &wire.Problem{Code: wire.CodeNoVectors, Message: err.Error()}
	case errors.Is(err, search.ErrNoReranker):
		return &wire.Problem{Code: wire.CodeNoReranker, Message: err.Error()}
	case errors.Is(err, answer.ErrPattern):
		return &wire.Problem{Code: wire.CodeInvalidPattern, Message: "the pattern is malformed"}
	case errors.Is(err, answer.ErrClosed):
		return &wire.Problem{Code: wire.CodeNoMemory, Message: "the project is leaving the memory; asked again, it is there or gone"}
	case errors.Is(err, context.DeadlineExceeded):
		return &wire.Problem{Code: wire.CodeTimeout, Message: "the request did not finish in time"}
	}
	return &wire.Problem{Code: wire.CodeInternal, Message: "internal error"}
}
