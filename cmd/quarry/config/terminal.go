package config

import (
	"cmp"
	"os"

	"github.com/spf13/pflag"
)

// terminalSettings say how commands show their output to people.
type terminalSettings struct {
	Color   string `toml:"color"`
	Pager   string `toml:"pager"`
	NoPager bool   `toml:"no_pager"`
}

func (t *terminalSettings) bind(fs *pflag.FlagSet) {
	fs.StringVar(&t.Color, "color", t.Color, "colours and the form for people: auto (on a terminal, unless NO_COLOR is set), always or never")
	fs.StringVar(&t.Pager, "pager", t.Pager, "the program that shows long output on a terminal (default $PAGER, else less)")
	fs.BoolVar(&t.NoPager, "no-pager", t.NoPager, "show long output without such a program")
}

func (t *terminalSettings) check() error {
	return OneOf("color", t.Color, "auto", "always", "never")
}

// InColour reports whether output, to a terminal or not, has colours; see no-color.org.
func (s *Settings) InColour(terminal bool) bool {
	if s.Terminal.Color == "auto" {
		return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return s.Terminal.Color == "always"
}

// PagerProgram returns the command line of the program that shows long output on a terminal,
// "" for none, and variables of its environment: like git, less is told to end at once where
// the output fits, to keep colours, and to leave the output on the terminal.
func (s *Settings) PagerProgram() (program string, environment []string) {
	program = cmp.Or(s.Terminal.Pager, os.Getenv("PAGER"), "less")
	if s.Terminal.NoPager || program == "cat" || os.Getenv("TERM") == "dumb" {
		return "", nil
	}
	if os.Getenv("LESS") == "" {
		environment = []string{"LESS=FRX"}
	}
	return program, environment
}
