package parsing

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	helloTime = 10 * time.Second       // who says nothing in so much processor time, or idles for so long, is no worker
	onClock   = 4                      // times its limit that a text may take on the clock, where others have the processors
	recheck   = 200 * time.Millisecond // between two looks at a worker that is late
	maxWords  = 4 << 10                // bytes of a worker's last words that are kept
	maxKept   = 256 << 10              // bytes of memory for requests that are kept
	perByte   = 16                     // nodes of a tree for each byte of its text, at most
	someNodes = 1024                   // and besides those
)

// Errors of ask and hear. After all but errSlow, errGaveUp and errRefused the worker is of no
// more use.
var (
	errDead    = errors.New("the worker ended")
	errLate    = errors.New("the worker took too long")
	errLarge   = errors.New("the tree is too large")
	errStuck   = errors.New("the worker is stuck")
	errSlow    = errors.New("the worker needs longer") // and is to be heard again
	errGaveUp  = errors.New("the parser took too long")
	errRefused = errors.New("the parser fails on this text")
)

// A process is one worker. It serves one caller at a time.
type process struct {
	cmd       *exec.Cmd
	requests  *os.File
	answers   *os.File
	last      words
	memory    *meter
	request   []byte        // the memory of the last one
	began     time.Time     // when it was sent
	used      time.Duration // processor time that the worker had used then
	greeted   bool          // it has said hello
	killed    bool          // before it could end by itself; set by kill
	served    int           // texts that it was given
	sinceLook int           // bytes of those since its memory was looked at
	idle      time.Time     // since when
}

// start starts a worker, which greet then makes sure of. It must run on a thread that
// lives as long as the worker may: on Linux the worker is killed when that ends.
func start(command []string) (*process, error) {
	requests, theirRequests, err := pipe(false)
	if err != nil {
		return nil, err
	}
	answers, theirAnswers, err := pipe(true)
	if err != nil {
		return nil, errors.Join(err, theirRequests.Close(), requests.Close())
	}
	p := &process{requests: requests, answers: answers, cmd: exec.Command(command[0], command[1:]...)} // ended by kill, or with its input
	// A list of processes shows this name.
	p.cmd.Args[0] = "quarry"
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirRequests, theirAnswers, &p.last
	p.cmd.Env = []string{"GOMAXPROCS=2", "GOTRACEBACK=single", "LC_ALL=C", "MALLOC_ARENA_MAX=1"}
	p.cmd.WaitDelay = time.Second
	p.cmd.SysProcAttr = ownGroup()
	enlarge(requests)
	enlarge(answers)
	err = p.cmd.Start()
	err = errors.Join(err, theirRequests.Close(), theirAnswers.Close())
	if p.cmd.Process == nil {
		return nil, errors.Join(err, requests.Close(), answers.Close())
	}
	p.memory = meterOf(p.cmd.Process.Pid)
	if err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// greet waits for the worker's first word, once.
func (p *process) greet() error {
	if p.greeted {
		return nil
	}
	p.greeted = true
	word := make([]byte, len(hello))
	err := transfer(p.answers.Read, p.answers.SetReadDeadline, word, helloTime, p.silent(helloTime))
	if err == nil && string(word) != hello {
		err = fmt.Errorf("it begins with %q", word)
	}
	if err != nil {
		return fmt.Errorf("%s is no worker: %w", p.cmd.Path, err)
	}
	return nil
}

// silent returns what says whether a worker that has not said hello is not on its way to it:
// it has used all of limit, or none of its time for so long. A busy or emulated machine may
// take any time on the clock.
func (p *process) silent(limit time.Duration) func() error {
	var used time.Duration
	since := time.Now()
	return func() error {
		switch now := p.processorTime(); {
		case now < 0 || now >= limit:
			return errLate
		case now > used:
			used, since = now, time.Now()
		case time.Since(since) >= limit:
			return errStuck
		}
		return nil
	}
}

// kill ends the worker and waits for its end.
func (p *process) kill() {
	endGroup(p.cmd.Process)
	_ = p.cmd.Wait() // that it was killed is no news
	p.killed = killed(p.cmd.ProcessState)
	_ = p.requests.Close()
	_ = p.answers.Close()
	p.memory.close()
}

// ask sends the worker a text to parse, for at most limit of processor time.
func (p *process) ask(limit time.Duration, language string, text []byte) error {
	p.served++
	p.sinceLook += len(text)
	p.began, p.used = time.Now(), p.processorTime()
	request := slices.Grow(p.request[:0], requestHead+len(language)+len(text))
	request = binary.NativeEndian.AppendUint32(request, uint32(len(language)))
	request = binary.NativeEndian.AppendUint32(request, uint32(len(text)))
	request = append(append(request, language...), text...)
	if p.request = request; cap(request) > maxKept {
		p.request = nil
	}
	return transfer(p.requests.Write, p.requests.SetWriteDeadline, request, limit, p.late(limit))
}

// hear receives the tree of the text, of size bytes, that was asked for. With a patience
// it returns errSlow when nothing has come for so long.
func (p *process) hear(limit, patience time.Duration, size int, room func(int) []byte) (faulty bool, err error) {
	head := make([]byte, answerHead)
	n := 0
	if patience > 0 {
		if err := p.answers.SetReadDeadline(time.Now().Add(patience)); err != nil {
			return false, errDead
		}
		if n, err = p.answers.Read(head); errors.Is(err, os.ErrDeadlineExceeded) {
			return false, errSlow
		} else if err != nil {
			return false, errDead
		}
	}
	receive := func(b []byte) error {
		return transfer(p.answers.Read, p.answers.SetReadDeadline, b, limit, p.late(limit))
	}
	if err := receive(head[n:]); err != nil {
		return false, err
	}
	status, nodes := binary.NativeEndian.Uint32(head), int64(binary.NativeEndian.Uint32(head[4:]))
	switch {
	case status == gaveUp:
		return false, errGaveUp
	case status == refused:
		return false, errRefused
	case status > refused:
		return false, errDead
	case nodes > perByte*int64(size)+someNodes:
		return false, errLarge
	}
	return status == broken, receive(room(int(nodes)))
}

// late returns what says whether the worker has had more than limit for its text.
func (p *process) late(limit time.Duration) func() error {
	return func() error {
		if now := p.processorTime(); now < 0 || now-p.used >= limit {
			return errLate
		} else if time.Since(p.began) > onClock*limit {
			return errStuck
		}
		return nil
	}
}

// transfer moves all of b by op, a Read or Write of one end of a pipe, as long as it is
// not late, which is asked once limit has passed.
func transfer(op func([]byte) (int, error), setDeadline func(time.Time) error, b []byte, limit time.Duration, late func() error) error {
	wait := limit
	for len(b) > 0 {
		if err := setDeadline(time.Now().Add(wait)); err != nil {
			return errDead
		}
		n, err := op(b)
		b = b[n:]
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			if err := late(); err != nil {
				return err
			}
			wait = recheck
		case err != nil:
			return errDead
		}
	}
	return nil
}

// words keeps the last of what a worker writes to its standard error.
type words struct {
	mu   sync.Mutex
	text []byte
}

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	// What matters comes first: the reason, before the stacks.
	w.text = append(w.text, b[:min(len(b), maxWords-len(w.text))]...)
	return len(b), nil
}

// first returns the first line.
func (w *words) first() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	line, _, _ := strings.Cut(strings.TrimSpace(string(w.text)), "\n")
	return line
}

// noMemory reports whether they say that there was no memory.
func (w *words) noMemory() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.ToLower(string(w.text))
	for _, s := range []string{"failed to allocate", "no memory for", "out of memory", "cannot allocate memory"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
