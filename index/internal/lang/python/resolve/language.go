// Package resolve has what is special about Python: modules, special methods, mixins, the
// fixtures of pytest, and its collections.
package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
	"github.com/quarry-search/quarry/index/internal/graph/intern"
	"github.com/quarry-search/quarry/index/internal/graph/lang/plain"
	"github.com/quarry-search/quarry/index/internal/graph/program"
	"github.com/quarry-search/quarry/index/internal/ir"
)

// pythonFolder marks the node of a folder that is a package without __init__.py.
const pythonFolder = "python folder "

// Family is Python.
var Family = program.Languages{Name: "python", Names: map[string]string{"python": "python"}, Make: newPython}

// language is the Language.
type language struct {
	plain.Default
	dirs map[string]bool // folders with files somewhere below, made at the first use
}

func newPython() map[string]*program.Lang {
	var t program.Traits
	t.AliasVars, t.StarsReexport, t.Builtin = true, true, pythonBuiltins
	t.ExactClasses, t.Fluent, t.InheritsConstructors, t.Constructors = true, true, true, []string{"__init__", "__new__"}
	t.Dynamic, t.RestIsList = true, true
	t.GetItem, t.SetItem, t.Iterate, t.Advance = []string{"__getitem__"}, []string{"__setitem__"}, []string{"__iter__"}, []string{"__next__"}
	t.CallMakes, t.Decorates, t.FuncFields, t.Callable = true, true, true, []string{"__call__"}
	return map[string]*program.Lang{"python": {Traits: t, ModuleRules: &language{}}}
}

// Forget lets go of the folders.
func (l *language) Forget() { l.dirs = nil }

// Resolve finds a module: relative to the file's package for leading dots,
// else from each folder that can be on the path.
func (l *language) Resolve(g *program.Family, f *program.File, i *ir.ImportInfo) program.Target {
	module, name := f.IR.String(i.Module), f.IR.String(i.Name)
	if dots := len(module) - len(strings.TrimLeft(module, ".")); dots > 0 {
		dir := f.Dir
		for range dots - 1 {
			dir = program.Parent(dir)
		}
		return l.target(g, f, path.Join(dir, strings.ReplaceAll(module[dots:], ".", "/")), name)
	}
	p := strings.ReplaceAll(module, ".", "/")
	roots := pythonRoots(g, f, p)
	for _, find := range []func(*program.Family, string) edge.ID{pythonFile, l.module} { // folders last
		for _, root := range roots {
			if find(g, path.Join(root, p)) == 0 {
				continue
			}
			if name == "" && i.Alias == 0 { // import a.b binds a; attributes find the rest
				first, _, _ := strings.Cut(p, "/")
				t := l.target(g, f, path.Join(root, first), "")
				t.Loads = l.loads(g, root, p)
				return t
			}
			return l.target(g, f, path.Join(root, p), name)
		}
	}
	if name == "" && i.Alias == 0 {
		module, _, _ = strings.Cut(module, ".")
	}
	return g.OutsideOf(module)
}

// target is the module at a path, or the one below it that the imported name
// means.
func (l *language) target(g *program.Family, f *program.File, p, name string) program.Target {
	id := l.module(g, p)
	if id == 0 {
		return program.Target{}
	}
	t := program.Target{In: []edge.ID{id}}
	if name == "" || name == "*" {
		return t
	}
	if sub := l.Submodule(g, id, g.Names.Intern(name)); sub != 0 {
		if id == f.ID || len(g.Find(g.Bag(id), g.Names.Intern(name))) == 0 {
			// "from . import x" in the package itself cannot mean its own name.
			return program.Target{In: []edge.ID{sub}, Whole: true, Loads: []edge.ID{id}}
		}
		t.Loads = []edge.ID{sub}
	}
	return t
}

// loads are the modules that "import a.b.c" runs besides a.
func (l *language) loads(g *program.Family, root, p string) []edge.ID {
	var out []edge.ID
	for i := range len(p) {
		if p[i] == '/' && i > 0 {
			out = append(out, l.module(g, path.Join(root, p[:i])))
		}
	}
	out = append(out, l.module(g, path.Join(root, p)))
	return slices.DeleteFunc(out, func(id edge.ID) bool { return id == 0 })
}

// pythonRoots are the folders where a top-level module may lie, in the order of
// how likely they are on the path: the one that holds the file's package, those
// above it, src and lib, and last the package's own folder, which is one for a
// script. Modules of the standard library are only looked for where they would be
// found before it.
func pythonRoots(g *program.Family, f *program.File, module string) []string {
	first, _, _ := strings.Cut(module, "/")
	var roots, packages []string
	for d := f.Dir; ; d = program.Parent(d) {
		if len(roots) == 0 && d != "" && g.FileAt(path.Join(d, "__init__.py")) != 0 {
			packages = append(packages, d)
		} else {
			roots = append(roots, d)
		}
		if d == "" {
			break
		}
	}
	if StandardModules[first] {
		if pythonFile(g, path.Join(roots[0], first)) == 0 {
			return nil
		}
		return roots[:1]
	}
	roots = append(roots, "src", "lib")
	for _, p := range g.BySuffix(first + "/__init__.py") {
		// A package somewhere else in the project: the nearest first.
		if at := program.Parent(program.Parent(path.Clean("/" + p)))[1:]; g.FileAt(path.Join(at, "__init__.py")) == 0 {
			roots = append(roots, at)
		}
	}
	return append(roots, packages...)
}

// pythonFile returns the file of a module.
func pythonFile(g *program.Family, p string) edge.ID {
	if id := g.FileAt(path.Join(p, "__init__.py")); id != 0 {
		return id
	}
	return g.FileAt(p + ".py")
}

// module returns the file of a module, or the folder of a package without
// __init__.py.
func (l *language) module(g *program.Family, p string) edge.ID {
	if id := pythonFile(g, p); id != 0 {
		return id
	}
	if l.dirs == nil {
		l.dirs = map[string]bool{}
		for _, q := range g.Paths() {
			for d := program.Parent(q); !l.dirs[d]; d = program.Parent(d) {
				l.dirs[d] = true
			}
		}
	}
	if !l.dirs[p] {
		return 0
	}
	return g.Entity(program.EntityKey{Kind: edge.NamespaceNode, Name: g.Names.Intern(pythonFolder + p)})
}

// Submodule returns the module inside a package.
func (l *language) Submodule(g *program.Family, in edge.ID, n intern.Name) edge.ID {
	at := &g.Entities[in]
	switch {
	case at.Kind == edge.NamespaceNode:
		p, ok := strings.CutPrefix(g.Names.Text[at.Name], pythonFolder)
		if !ok {
			return 0
		}
		return l.module(g, path.Join(p, g.Names.Text[n]))
	case at.Kind != edge.FileNode || at.File == nil:
		return 0
	case path.Base(at.File.Path) != "__init__.py":
		return 0
	}
	return l.module(g, path.Join(at.File.Dir, g.Names.Text[n]))
}

// StarBrings reports whether an import of all names of a file may bring one:
// not those that begin with an underscore, or are not in __all__.
func (*language) StarBrings(g *program.Family, in edge.ID, n intern.Name) bool {
	at := &g.Entities[in]
	if at.Kind != edge.FileNode || at.File == nil {
		return true
	}
	list := g.Find(g.Bag(in), n)
	for _, m := range list {
		if m.Open {
			return true
		}
	}
	return len(list) == 0 && !strings.HasPrefix(g.Names.Text[n], "_")
}

// Predeclared reports whether a name is one that every module has.
func Predeclared(name string) bool { return pythonBuiltins[name] }

// pythonBuiltins are the names of the module builtins, and those that every module
// and Python 2 have.
var pythonBuiltins = program.Words(`
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup
False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError
ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError
MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError
OverflowError PendingDeprecationWarning PermissionError ProcessLookupError PythonFinalizationError RecursionError
ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError
SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError
UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning
WindowsError ZeroDivisionError
__build_class__ __builtins__ __debug__ __doc__ __file__ __import__ __loader__ __name__ __package__ __path__ __spec__
__annotations__ __dict__
abs aiter all anext any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright
credits delattr dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash
help hex id input int isinstance issubclass iter len license list locals map max memoryview min next object oct open
ord pow print property quit range repr reversed round set setattr slice sorted staticmethod str sum super tuple type
vars zip
apply basestring buffer cmp coerce execfile file intern long raw_input reduce reload unichr unicode xrange
reveal_type`)

// StandardModules are the top-level modules of the standard library.
var StandardModules = program.Words(`
__future__ __main__ abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb
binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys
compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses
dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler
fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp
gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword
lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt
multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb
pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile
pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets
select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile
sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog
tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace
traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave
weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo
ConfigParser Queue StringIO cPickle cStringIO cookielib httplib urllib2 urlparse`)
