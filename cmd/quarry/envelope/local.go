package envelope

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/grep"
)

// withoutServer opens a root, reads nothing in advance, and closes it after use.
func withoutServer(s config.Settings, root string, use func(*index.Index) error) (err error) {
	x, _, stop, err := engine.Open(s, root, false, index.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	return use(x)
}

func (q *teGrepRequest) local(cmd *cobra.Command, s config.Settings, root string) (found int, err error) {
	err = withoutServer(s, root, func(x *index.Index) error {
		found, err = x.GrepRaw(cmd.Context(), grep.GrepQuery{
			Pattern: q.Pattern, Literal: q.Literal, IgnoreCase: q.IgnoreCase, Word: q.Word, Path: q.Path, Glob: q.Glob,
		}, grep.RawOptions{Name: te.Base(q.Base).Path, Limit: q.Limit}, cmd.OutOrStdout())
		return err
	})
	return found, err
}

func (q *teCatRequest) local(cmd *cobra.Command, s config.Settings, root string) (found int, err error) {
	err = withoutServer(s, root, func(x *index.Index) error {
		f, err := x.Read(cmd.Context(), grep.ReadQuery{Path: q.Path, Start: q.Start, End: q.End})
		if err != nil {
			return err
		}
		found = f.Lines
		_, err = io.WriteString(cmd.OutOrStdout(), f.Text)
		return err
	})
	return found, err
}

func (q *teFindRequest) local(cmd *cobra.Command, s config.Settings, root string) (found int, err error) {
	err = withoutServer(s, root, func(x *index.Index) error {
		f, err := x.Find(cmd.Context(), grep.FindQuery{Path: q.Path, Name: q.Name, Type: q.Type, Limit: q.Limit})
		if err != nil {
			return err
		}
		found = f.Total
		_, err = io.WriteString(cmd.OutOrStdout(), te.RawPaths(te.Base(q.Base), f.Paths))
		return err
	})
	return found, err
}
