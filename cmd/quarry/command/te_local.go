package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/index"
)

// rawPage is how many lines are asked for at once.
const rawPage = 4096

// withoutServer opens a root, reads nothing in advance, and closes it after use.
func withoutServer(s settings, root string, use func(*index.Index) error) (err error) {
	x, _, stop, err := openIndex(s, root, false, index.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return use(x)
}

func (q *teGrepRequest) local(cmd *cobra.Command, s settings, root string) (found int, err error) {
	err = withoutServer(s, root, func(x *index.Index) error {
		w := bufio.NewWriter(cmd.OutOrStdout())
		found, err = rawGrep(cmd.Context(), x, q, w)
		return errors.Join(err, w.Flush())
	})
	return found, err
}

// rawGrep prints the lines that match as grep does.
func rawGrep(ctx context.Context, x *index.Index, q *teGrepRequest, w io.Writer) (found int, err error) {
	g, err := x.Grep(ctx, index.GrepQuery{
		Pattern: q.Pattern, Literal: q.Literal, IgnoreCase: q.IgnoreCase, Word: q.Word, Path: q.Path, Glob: q.Glob,
	})
	if err != nil {
		return 0, err
	}
	left := g.Matches
	if q.Limit > 0 {
		left = min(left, q.Limit)
	}
	var buf bytes.Buffer
	for from := 0; left > 0; from, left = from+rawPage, left-rawPage {
		lines, _, err := x.Lines(ctx, g, from, min(left, rawPage))
		if err != nil {
			return g.Matches, err
		}
		for i := range lines {
			te.AppendRaw(&buf, te.Base(q.Base), &lines[i])
		}
		if _, err := buf.WriteTo(w); err != nil {
			return g.Matches, err
		}
	}
	return g.Matches, nil
}

func (q *teCatRequest) local(cmd *cobra.Command, s settings, root string) (found int, err error) {
	err = withoutServer(s, root, func(x *index.Index) error {
		f, err := x.Read(cmd.Context(), index.ReadQuery{Path: q.Path, Start: q.Start, End: q.End})
		if err != nil {
			return err
		}
		found = f.Lines
		_, err = io.WriteString(cmd.OutOrStdout(), f.Text)
		return err
	})
	return found, err
}

func (q *teFindRequest) local(cmd *cobra.Command, s settings, root string) (found int, err error) {
	err = withoutServer(s, root, func(x *index.Index) error {
		f, err := x.Find(cmd.Context(), index.FindQuery{Path: q.Path, Name: q.Name, Type: q.Type, Limit: q.Limit})
		if err != nil {
			return err
		}
		found = f.Total
		_, err = io.WriteString(cmd.OutOrStdout(), te.RawPaths(te.Base(q.Base), f.Paths))
		return err
	})
	return found, err
}
