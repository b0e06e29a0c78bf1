package engine

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strconv"

	"github.com/quarry-search/quarry/cmd/quarry/config"
	"github.com/quarry-search/quarry/index"
)

const (
	// parseWord is the hidden command that makes this program a process of an
	// index.ParserPool.
	parseWord = "parse-worker"

	// The last argument of that command says which parser it uses.
	ownWord     = "own"
	libraryWord = "library"

	// parserMemory is how many bytes such a process may take for one text: files of
	// 2 MiB, the largest that are indexed by default, take a third of it.
	parserMemory = 768 << 20
	// parserKept is with how much it is replaced when its text is done. One that is as
	// it should be keeps 4 to 18 MiB. Hostile texts have grammars leak, and four processes
	// that may keep much each are a server that grows for half an hour.
	parserKept = 24 << 20
	// parserShare is the part of a server's memory budget that one may take.
	parserShare = 4
	// parserLeast is what it may take whatever the budget is.
	parserLeast = 192 << 20
)

// ParseWorker is the whole program if args, its arguments without its name, say that it is
// a process that parses; it returns the exit code. It comes before everything else that
// the program does when it starts.
func ParseWorker(args []string, in io.Reader, out, complaint io.Writer) (code int, is bool) {
	if len(args) != 3 || args[0] != parseWord {
		return 0, false
	}
	memory, err := strconv.ParseInt(args[1], 10, 64)
	if err == nil && memory > 0 {
		err = index.ServeParser(in, out, memory, args[2] == libraryWord)
	}
	if err != nil {
		fmt.Fprintln(complaint, "quarry:", err)
		return 1, true
	}
	return 0, true
}

// OpenParsers returns the processes that files are parsed in, nil where the user wants them
// parsed in this one. The caller closes them.
func OpenParsers(s *config.Settings, workers int, log *slog.Logger) (*index.ParserPool, error) {
	if s.Index.ParseInProcess {
		return nil, nil
	}
	program, err := itself()
	if err != nil {
		return nil, fmt.Errorf("this program cannot be found, which would parse files in separate processes: %w", err)
	}
	memory := int64(parserMemory)
	if budget := int64(s.Server.Memory); budget > 0 {
		memory = min(memory, max(budget/parserShare, parserLeast))
	}
	parser := ownWord
	if s.Index.LibraryParser {
		parser = libraryWord
	}
	return index.NewParserPool(index.ParserOptions{
		Command: []string{program, parseWord, strconv.FormatInt(memory, 10), parser}, Size: workers, Memory: parserKept, Logger: log,
	}), nil
}

// itself returns a path by which this very program can be started: on Linux also when
// another version, with other grammars, has taken the place of its file.
func itself() (string, error) {
	const running = "/proc/self/exe"
	if runtime.GOOS == "linux" {
		if _, err := os.Stat(running); err == nil {
			return running, nil
		}
	}
	return os.Executable()
}
