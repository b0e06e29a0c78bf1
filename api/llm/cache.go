package llm

import (
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/quarry-search/quarry/index/summary"
)

// What a Client remembers at most.
const (
	cacheEntries = 256
	cacheBytes   = 4 << 20
)

// A key names a question by the hash of all that is in it.
type key [sha256.Size]byte

func keyOf(content string, level summary.Level, maxTokens int) key {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d\n", level, maxTokens)
	h.Write([]byte(content))
	return key(h.Sum(nil))
}

// A cache has the last answers, and who is asking for one now.
type cache struct {
	entries, bytes int // at most

	mu     sync.Mutex
	held   int        // bytes of the answers
	order  *list.List // of entry, the last used first
	known  map[key]*list.Element
	flying map[key]*flight
}

type entry struct {
	key  key
	text string
}

// A flight is a question that is being asked.
type flight struct {
	done chan struct{} // closed when text and err are there
	text string
	err  error
}

func newCache(entries, bytes int) *cache {
	return &cache{entries: entries, bytes: bytes, order: list.New(), known: map[key]*list.Element{}, flying: map[key]*flight{}}
}

// once returns the answer to a question: the one that is known, the one that somebody else
// is waiting for, or what ask returns. Where that somebody gave up, another one asks. It
// needs no goroutine, as golang.org/x/sync/singleflight does where a caller must be able to
// give up alone.
func (c *cache) once(ctx context.Context, k key, ask func() (string, error)) (string, error) {
	for {
		c.mu.Lock()
		if e := c.known[k]; e != nil {
			c.order.MoveToFront(e)
			c.mu.Unlock()
			return e.Value.(entry).text, nil
		}
		f := c.flying[k]
		if f == nil {
			f = &flight{done: make(chan struct{})}
			c.flying[k] = f
			c.mu.Unlock()
			return c.fly(k, f, ask)
		}
		c.mu.Unlock()
		select {
		case <-f.done:
			if f.err != nil && (errors.Is(f.err, context.Canceled) || errors.Is(f.err, context.DeadlineExceeded)) && ctx.Err() == nil {
				continue
			}
			return f.text, f.err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func (c *cache) fly(k key, f *flight, ask func() (string, error)) (string, error) {
	f.err = errors.New("the caller panicked") // unless ask returns
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.flying, k)
		if f.err == nil {
			c.add(k, f.text)
		}
		close(f.done)
	}()
	f.text, f.err = ask()
	return f.text, f.err
}

// add remembers an answer, and forgets those that were used longest ago.
func (c *cache) add(k key, text string) {
	if len(text) > c.bytes {
		return
	}
	c.known[k] = c.order.PushFront(entry{k, text})
	c.held += len(text)
	for c.order.Len() > c.entries || c.held > c.bytes {
		last := c.order.Back()
		e := c.order.Remove(last).(entry)
		delete(c.known, e.key)
		c.held -= len(e.text)
	}
}
