package parsing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/quarry-search/quarry/index/internal/lang"
	"github.com/quarry-search/quarry/index/internal/sandbox"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

// hello is what a worker says first: whoever started it may have started something else.
const hello = "quarry01"

// Statuses of an answer.
const (
	whole uint32 = iota
	broken
	gaveUp
	refused
)

const (
	requestHead = 8
	answerHead  = syntax.NodeSize

	maxName = 64      // bytes of a language's name
	maxText = 1 << 30 // bytes of a text
)

// Confine takes from the process of a worker what it does not need, and bounds its memory,
// in bytes besides what it has now. It must be called before Serve. What the system cannot
// do is in the report and no error: an unconfined worker is better than none.
func Confine(memory int64) (sandbox.Report, error) {
	return sandbox.Enter(sandbox.Limits{Memory: uint64(max(memory, 0))})
}

// Serve is a worker: it answers requests until in ends, then returns nil, or an error if in
// is malformed. library leaves all texts to the library's own parser. The goroutine stays on
// its thread.
func Serve(in io.Reader, out io.Writer, library bool) error {
	runtime.LockOSThread() // one stack for C
	debug.SetGCPercent(200)
	p := lang.NewParser()
	defer p.Close()
	p.LibraryOnly = library
	if _, err := io.WriteString(out, hello); err != nil {
		return fmt.Errorf("parsing: %w", err)
	}
	var head [requestHead]byte
	var request []byte
	for {
		if _, err := io.ReadFull(in, head[:]); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("parsing: %w", err)
		}
		name, size := int(binary.NativeEndian.Uint32(head[:])), int(binary.NativeEndian.Uint32(head[4:]))
		if name > maxName || size > maxText {
			return errors.New("parsing: a request that is too long")
		}
		if cap(request) < name+size || cap(request) > 8*(name+size)+1<<20 {
			request = make([]byte, name+size, name+size+size/4)
		}
		request = request[:name+size]
		if _, err := io.ReadFull(in, request); err != nil {
			return fmt.Errorf("parsing: %w", err)
		}
		nodes, errors, fault, err := p.Nodes(string(request[:name]), request[name:])
		if err != nil {
			return fmt.Errorf("parsing: %w", err)
		}
		status := whole
		switch {
		case fault == syntax.Late:
			status = gaveUp
		case fault != syntax.NoFault:
			status = refused
		case errors:
			status = broken
		}
		if fault != syntax.NoFault {
			nodes = make([]byte, answerHead)
		}
		binary.NativeEndian.PutUint32(nodes, status)
		binary.NativeEndian.PutUint32(nodes[4:], uint32(len(nodes)/syntax.NodeSize-1))
		if _, err := out.Write(nodes); err != nil {
			return fmt.Errorf("parsing: %w", err)
		}
	}
}
