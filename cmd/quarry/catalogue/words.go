package catalogue

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// MaxWords is how many words are kept of a repository: those that most of its chunks have.
const MaxWords = 1000

// A Word says how many chunks of a repository have a word, by its hash.
type Word struct {
	Repository string `json:"-"`
	Word       uint64 `json:"word"`
	Chunks     int    `json:"chunks"`
}

// Words returns which of some words some repositories have.
func (c *Catalogue) Words(ctx context.Context, words []uint64, repositories []string) ([]Word, error) {
	signed := make([]int64, len(words)) // as PostgreSQL has them
	for i, w := range words {
		signed[i] = int64(w)
	}
	rows, err := c.pool.Query(ctx, `select name, word, w.chunks from repository_words w join repositories r on r.id = w.repository
		where word = any($1) and name = any($2)`, signed, repositories)
	if err != nil {
		return nil, said(err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (w Word, err error) {
		var word int64
		err = row.Scan(&w.Repository, &word, &w.Chunks)
		w.Word = uint64(word)
		return w, err
	})
	return all, said(err)
}

// putWords keeps the words of a repository in place of those that it had.
func putWords(ctx context.Context, tx pgx.Tx, repository int, words []Word) error {
	if _, err := tx.Exec(ctx, `delete from repository_words where repository = $1`, repository); err != nil {
		return err
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{"repository_words"}, []string{"word", "repository", "chunks"},
		pgx.CopyFromSlice(min(len(words), MaxWords), func(i int) ([]any, error) { return []any{int64(words[i].Word), repository, words[i].Chunks}, nil }))
	return err
}

// Used adds to how often repositories were asked.
func (c *Catalogue) Used(ctx context.Context, times map[string]int64) error {
	var names []string
	var counts []int64
	for name, n := range times {
		names, counts = append(names, name), append(counts, n)
	}
	_, err := c.pool.Exec(ctx, `update repositories set used = used + n from unnest($1::text[], $2::bigint[]) as of (repository, n) where name = repository`, names, counts)
	return said(err)
}
