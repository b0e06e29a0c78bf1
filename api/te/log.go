package te

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// The modes of an Event.
const (
	Enriched  = "enriched"
	RawMode   = "raw"
	ErrorMode = "error"
)

// An Event is what the telemetry says of one request. It holds no text of a query
// unless the operator wants that.
type Event struct {
	Timestamp     time.Time `json:"timestamp"`
	AgentID       string    `json:"agent_id"`
	SessionID     string    `json:"session_id"`
	Cmd           string    `json:"cmd"`         // grep, cat, find or handle
	Mode          string    `json:"mode"`        // Enriched, RawMode or ErrorMode
	InputSize     int64     `json:"input_size"`  // bytes of the whole result, as the command itself prints it
	OutputSize    int64     `json:"output_size"` // bytes of the answer
	Truncated     bool      `json:"truncated"`
	HandleCreated bool      `json:"handle_created"`
	LatencyMS     int64     `json:"latency_ms"`
	Error         *string   `json:"error"` // a code; null: none

	Query    string    `json:"query,omitempty"`    // only where the operator wants it
	Strategy *Strategy `json:"strategy,omitempty"` // only where one was chosen
}

// maxLog is how large the file of a Log becomes before it is put aside, in bytes: some
// 40,000 events.
const maxLog = 10 << 20

// Rotated is what the name of a file ends with that was put aside.
const Rotated = ".1"

// A Log writes events to a file, one JSON object a line, and only ever appends. When
// it is full it becomes FILE.1, in place of the one before. It is safe for concurrent
// use. A nil Log writes nothing.
type Log struct {
	path string
	most int64 // bytes

	mu   sync.Mutex
	file *os.File // nil: closed, or it could not be opened again
	size int64
}

// OpenLog opens the file at a path, or makes it, with its folder. Others than the
// owner cannot read it.
func OpenLog(path string) (*Log, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	l := &Log{path: path, most: maxLog}
	if err := l.open(); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return l, nil
}

func (l *Log) open() error {
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// Write appends an event. After Close it is lost without an error: a request may
// outlive the log.
func (l *Log) Write(e Event) error {
	if l == nil {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	if l.size > 0 && l.size+int64(len(line)) > l.most {
		if err := l.rotate(); err != nil {
			return fmt.Errorf("telemetry: %w", err)
		}
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	if err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	return nil
}

// rotate puts the full file aside and begins a new one.
func (l *Log) rotate() error {
	err := l.file.Close()
	l.file = nil
	if renamed := os.Rename(l.path, l.path+Rotated); renamed != nil && !errors.Is(renamed, fs.ErrNotExist) {
		err = errors.Join(err, renamed)
	}
	return errors.Join(err, l.open())
}

// Close ends the writing.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
