package config

import (
	"io"
	"log/slog"
)

// Logger returns what writes a log as the settings say.
func (s *Settings) Logger(out io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.Log.Level)); err != nil {
		level = slog.LevelInfo // Check has refused everything else
	}
	opt := &slog.HandlerOptions{Level: level}
	if s.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(out, opt))
	}
	return slog.New(slog.NewTextHandler(out, opt))
}
