package store

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/parsing"
	"github.com/quarry-search/quarry/index/internal/priority"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// ParserOptions configure a ParserPool.
type ParserOptions struct {
	Command []string     // a program, with arguments by which it calls ServeParser; required
	Size    int          // processes at work at once, of each priority; 0: one for each processor
	Memory  int64        // bytes with which a process is replaced; 0: any
	Logger  *slog.Logger // nil: nothing is logged
}

// A ParserPool parses the files of indexes in processes of their own, so that no text can
// end or hold the process of the indexes, or take its memory. It is safe for concurrent
// use, by any number of indexes.
type ParserPool struct{ Pool *parsing.Pool }

// NewParserPool returns a pool that starts processes as they are needed. Close must be
// called when all indexes that have it are closed.
func NewParserPool(o ParserOptions) *ParserPool {
	return &ParserPool{parsing.NewPool(parsing.Options{
		Command: o.Command, Size: o.Size, Memory: o.Memory, Lower: priority.Lower, Logger: o.Logger,
	})}
}

// Close ends the processes and waits for their end.
func (p *ParserPool) Close() { p.Pool.Close() }

// ParserCounts say what has become of processes and texts since a pool was made.
type ParserCounts = parsing.Counts

// Counts returns what has happened so far.
func (p *ParserPool) Counts() ParserCounts { return p.Pool.Counts() }

// ServeParser is the process of a ParserPool: it gives up what a parser does not need, for
// good, and parses what comes in until there is no more. memory is how many bytes it may
// take besides what it has now; 0: any. library leaves the parsing to tree-sitter's own
// parser alone.
func ServeParser(in io.Reader, out io.Writer, memory int64, library bool) error {
	if _, err := parsing.Confine(memory); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return parsing.Serve(in, out, library)
}

// NewParser returns a parser for the background or for requests.
func (o *Options) NewParser(background bool) *syntax.Parser {
	if o.Parsers == nil {
		return o.Told(lang.NewParser())
	}
	return o.Told(lang.All().NewRemoteParser(o.Parsers.Pool.Engine(background)))
}

// Told returns the parser, which knows now whether it leaves files to the library.
func (o *Options) Told(p *syntax.Parser) *syntax.Parser {
	p.LibraryOnly = o.LibraryParser
	return p
}

// Readers returns how many files are prepared at once. One that is being parsed by another
// process leaves its processor to one that is not.
func (o *Options) Readers() int {
	if o.Parsers == nil {
		return o.Workers
	}
	return o.Workers + o.Workers/2
}

// Warm starts the processes that a build will need.
func (o *Options) Warm() {
	if o.Parsers != nil {
		o.Parsers.Pool.Warm(o.Workers, o.Background)
	}
}

// Remember has the faults of files that were taken over not tried again.
func (o *Options) Remember(files map[string]*Record) {
	if o.Parsers == nil {
		return
	}
	for _, r := range files {
		if r.Fault != syntax.NoFault {
			o.Parsers.Pool.Remember(syntax.KeyOf(r.Lang, r.Hash), r.Fault)
		}
	}
}

// parsers keeps a few parsers for requests that look at syntax again. Each holds
// memory outside of Go's heap. It is safe for concurrent use.
type parsers struct {
	idle chan *syntax.Parser
	opt  *Options
}

func newParsers(n int, opt *Options) parsers { return parsers{make(chan *syntax.Parser, n), opt} }

func (p parsers) Get() *syntax.Parser {
	select {
	case one := <-p.idle:
		return one
	default:
		return p.opt.NewParser(false)
	}
}

func (p parsers) Put(one *syntax.Parser) {
	select {
	case p.idle <- one:
	default:
		one.Close()
	}
}

// drain closes those that are idle.
func (p parsers) drain() {
	for {
		select {
		case one := <-p.idle:
			one.Close()
		default:
			return
		}
	}
}
