package te

import (
	"github.com/quarry-search/quarry/api/wire"
	"github.com/quarry-search/quarry/index/grep"
)

// GrepOf returns what a request asks of an index, and in which form.
func GrepOf(q *wire.GrepRequest) (grep.GrepQuery, grep.Form) {
	return grep.GrepQuery{
			Pattern: q.Pattern, Syntax: q.Syntax, Literal: q.Literal, IgnoreCase: q.IgnoreCase, Word: q.Word, Line: q.WholeLine,
			Path: q.Path, Paths: q.Paths, Glob: q.Glob, Exclude: q.Exclude, ExcludeDir: q.ExcludeDir,
		}, grep.Form{
			Invert: q.Invert, Only: q.Only, Count: q.Count, With: q.Files == "with", Without: q.Files == "without",
			Before: q.Before, After: q.After, PerFile: q.MaxCount, NoNames: q.NoFilename, NoNumbers: q.NoLineNumber,
		}
}

// FindOf returns what a request asks of an index, on one page.
func FindOf(q *wire.FindRequest) grep.FindQuery {
	return grep.FindQuery{Path: q.Path, Paths: q.Paths, Written: q.Written, Expression: q.Expression, Name: q.Name, Type: q.Type}
}

// Matches are lines as they are in JSON.
func Matches(lines []grep.GrepLine) []wire.GrepMatch {
	list := make([]wire.GrepMatch, len(lines))
	for i := range lines {
		l := &lines[i]
		list[i] = wire.GrepMatch{File: l.File, Line: l.Line, Content: Clip(l), Role: wire.Role(l.Role), Symbol: l.Symbol}
	}
	return list
}

// FilesOf returns the files of lines, some of them more than once.
func FilesOf(lines []grep.GrepLine) []string {
	var files []string
	for i := range lines {
		if n := len(files); n == 0 || files[n-1] != lines[i].File {
			files = append(files, lines[i].File)
		}
	}
	return files
}

// RefusedType says what a file holds, as far as that is why it is refused.
func RefusedType(e *grep.FileError) string {
	switch e.Reason {
	case grep.RefusedBinary:
		return "binary"
	case grep.RefusedEncoding, grep.RefusedSize:
		return Sniff(e.File, "")
	}
	return ""
}

// Wire is the header as it is in JSON.
func (m *Meta) Wire() wire.EnvelopeMeta {
	out := wire.EnvelopeMeta{
		V: m.V, Command: m.Cmd, Files: m.Files, Truncated: m.Truncated, Handle: m.Handle, HotZone: m.HotZone, ContentType: m.ContentType, Error: m.Error,
	}
	if m.Matches != nil {
		out.Matches = *m.Matches
	}
	if m.Lines != nil {
		out.Lines = *m.Lines
	}
	return out
}
