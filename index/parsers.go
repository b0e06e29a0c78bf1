package index

import "github.com/quarry-search/quarry/index/internal/syntax"

// parsers keeps a few parsers for requests that look at syntax again. Each holds
// memory outside of Go's heap. It is safe for concurrent use.
type parsers chan *syntax.Parser

func newParsers(n int) parsers { return make(parsers, n) }

func (p parsers) get() *syntax.Parser {
	select {
	case one := <-p:
		return one
	default:
		return syntax.NewParser()
	}
}

func (p parsers) put(one *syntax.Parser) {
	select {
	case p <- one:
	default:
		one.Close()
	}
}

// drain closes those that are idle.
func (p parsers) drain() {
	for {
		select {
		case one := <-p:
			one.Close()
		default:
			return
		}
	}
}
