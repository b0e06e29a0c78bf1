package mutate

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const cargoTests = "cargo test --tests --no-fail-fast --color=never"

// cargo runs the tests of a package of Rust, but for examples in doc comments.
type cargo struct{}

func (cargo) extension() string     { return ".rs" }
func (cargo) code() *bracedLanguage { return &rustCode }
func (cargo) support(file string) bool {
	return !strings.HasPrefix(file, "src/") || strings.HasPrefix(file, "src/bin/") || strings.Contains(file, "test")
}

func (cargo) command(ctx context.Context, s *suite) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, s.words[0], s.words[1:]...)
	cmd.Env = append(os.Environ(), "CARGO_TARGET_DIR="+filepath.Join(s.scratch, "target"), "RUSTFLAGS=--cap-lints=warn", "RUST_BACKTRACE=0")
	return cmd, nil
}

var (
	cargoFile = regexp.MustCompile(`^\s+Running (?:unittests )?(\S+) \(`)
	cargoTest = regexp.MustCompile(`^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED)$`)
	cargoDone = regexp.MustCompile(`^test result: `)
)

// read reads what cargo says. A test is of the file of the module that it is in.
func (cargo) read(s *suite, said []byte) (passed, failed map[test]bool, built bool, err error) {
	passed, failed = map[test]bool{}, map[test]bool{}
	root := ""
	for line := range strings.Lines(string(said)) {
		line = strings.TrimRight(line, "\r\n")
		if m := cargoFile.FindStringSubmatch(line); m != nil {
			root = m[1]
		} else if m := cargoTest.FindStringSubmatch(line); m != nil && root != "" {
			parts := strings.Split(m[1], "::")
			one := test{File: moduleFile(s.files, root, parts[:len(parts)-1]), Name: parts[len(parts)-1]}
			if m[2] == "ok" {
				passed[one] = true
			} else {
				failed[one] = true
			}
		}
		built = built || cargoDone.MatchString(line)
	}
	return passed, failed, built, nil
}

// moduleFile returns the file of a module below the file of a crate: the last of its modules
// that has a file of its own.
func moduleFile(files []string, root string, modules []string) string {
	dir := path.Dir(root)
	for n := len(modules); n > 0; n-- {
		at := path.Join(dir, path.Join(modules[:n]...))
		for _, f := range []string{at + ".rs", at + "/mod.rs"} {
			if slices.Contains(files, f) {
				return f
			}
		}
	}
	return root
}
