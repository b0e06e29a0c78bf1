package git

import (
	"debug/elf"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/quarry-search/quarry/index/internal/sandbox"
)

// unconfined has, by their names, the programs that do not run when they are confined: a git
// that is a script, or one with libraries in a place that is not known here.
var unconfined sync.Map

// cannotRun says whether a confined git has not come to its work: the system cannot confine
// it, the kernel refuses to start it, or its loader does not find what it needs and exits
// with 127.
func cannotRun(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) || isExit(err, 127)
}

// system are the files that programs need: libraries, with what says where they are, what git
// brings, and how many processors there are.
var system = []string{
	"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/local/lib",
	"/usr/share/git-core", "/usr/share/locale", "/nix/store", "/gnu/store",
	"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/sys/devices/system/cpu",
}

// withProgram adds what git itself needs to what it may use.
func withProgram(r sandbox.Reach, program string) sandbox.Reach {
	r.Run = append(r.Run, program)
	if name, err := loader(program); err == nil {
		r.Run = append(r.Run, name)
	}
	r.Read = append(append(r.Read, program), system...)
	if real, err := filepath.EvalSymlinks(program); err == nil {
		prefix := filepath.Dir(filepath.Dir(real))
		for _, name := range []string{"lib", "libexec", "share/git-core"} {
			r.Read = append(r.Read, filepath.Join(prefix, name))
		}
	}
	for _, folder := range filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")) {
		if filepath.IsAbs(folder) {
			r.Read = append(r.Read, folder)
		}
	}
	r.Write = append(r.Write, os.DevNull)
	return r
}

// loader returns the program that the kernel starts to load another.
func loader(program string) (string, error) {
	f, err := elf.Open(program)
	if err != nil {
		return "", err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			name, err := io.ReadAll(io.LimitReader(p.Open(), maxPointer))
			return strings.TrimRight(string(name), "\x00"), err
		}
	}
	return "", nil // it needs none
}
