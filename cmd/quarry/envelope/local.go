package envelope

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quarry-search/quarry/api/te"
	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/cmd/quarry/engine"
	"github.com/quarry-search/quarry/index"
	"github.com/quarry-search/quarry/index/grep"
)

func (q *grepRequest) local(cmd *cobra.Command, s config.Settings, root string) (found int, err error) {
	err = engine.Use(s, root, false, func(x *index.Index) error {
		query, form := te.GrepOf(&q.GrepRequest)
		printed, err := x.GrepRaw(cmd.Context(), query, grep.RawOptions{Name: te.Base(q.Base).Path, Limit: q.Limit, Form: form}, cmd.OutOrStdout())
		if text := te.Unsearched(printed.Out); err == nil && text != "" && (printed.Matches == 0 || form != (grep.Form{})) {
			fmt.Fprintf(cmd.ErrOrStderr(), "quarry: %s\n", text)
		}
		found = printed.Matches
		return err
	})
	return found, err
}

func (q *catRequest) local(cmd *cobra.Command, s config.Settings, root string) (found int, err error) {
	err = engine.Use(s, root, false, func(x *index.Index) error {
		f, err := x.Read(cmd.Context(), grep.ReadQuery{Path: q.Path, Start: q.Start, End: q.End})
		if err != nil {
			return err
		}
		found = f.Lines
		if q.Number {
			f.Text = te.Numbered(f.Text, f.Start)
		}
		_, err = io.WriteString(cmd.OutOrStdout(), f.Text)
		return err
	})
	return found, err
}

func (q *findRequest) local(cmd *cobra.Command, s config.Settings, root string) (found int, err error) {
	err = engine.Use(s, root, false, func(x *index.Index) error {
		query := te.FindOf(&q.FindRequest)
		query.Limit = q.Limit
		f, err := x.Find(cmd.Context(), query)
		if err != nil {
			return err
		}
		found = f.Total
		_, err = io.WriteString(cmd.OutOrStdout(), te.RawPaths(te.Base(q.Base), f.Paths))
		return err
	})
	return found, err
}
