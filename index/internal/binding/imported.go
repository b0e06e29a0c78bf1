package binding

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/ir"
)

// importers are the languages whose unused imports are looked for. The compiler of Go refuses them; of C,
// C++ and Ruby all of a file is taken; in C# only a name that is made for a type can be followed.
var importers = words("csharp java javascript kotlin php python rust tsx typescript")

func words(list string) map[string]bool {
	is := map[string]bool{}
	for _, w := range strings.Fields(list) {
		is[w] = true
	}
	return is
}

// An unread is a name that its file or function binds and does not read.
type unread struct {
	name   string
	at     int
	end    int    // of the statement that binds it
	symbol string // the function of a parameter
	doubt  Doubt
	why    string
	across func(all *traded) (doubt Doubt, why string, used bool) // what other files say of it; nil: nothing
	export bool
}

// local is the name that an import binds, "" for none.
func (d *reading) local(i *ir.ImportInfo) string {
	name, alias := d.form.String(i.Name), d.form.String(i.Alias)
	module := d.form.String(i.Module)
	switch {
	case i.Flags&(ir.Reexport|ir.Mod|ir.Include|ir.Global) != 0, alias == "_":
		return ""
	case alias != "" && d.record.Lang == "python" && (alias == name || name == "" && alias == module): // a common way to export it
		return ""
	case alias != "":
		return alias
	case name == "*":
		return ""
	case name == "" && d.record.Lang == "python":
		first, _, _ := strings.Cut(module, ".")
		return first
	case module == "__future__":
		return ""
	}
	return name
}

// imported returns the imports that nothing in the file reads, and how many there are.
func (d *reading) imported() (found []unread, looked int) {
	inner := map[string][]importStatement{} // of functions
	for i := 1; i < len(d.form.Imports) && d.record.Lang == "python"; i++ {
		at := d.offset(d.form.Imports[i].Pos)
		if n := d.statementAt(at); n >= 0 && d.statements[n].from > 0 && !d.statements[n].class {
			name := d.local(&d.form.Imports[i])
			inner[name] = append(inner[name], d.statements[n])
		}
	}
	for i := 1; i < len(d.form.Imports); i++ {
		info := &d.form.Imports[i]
		name := d.local(info)
		if name == "" || d.form.String(info.Module) == "__future__" || d.record.Lang == "csharp" && info.Alias == 0 {
			continue
		}
		at := d.offset(info.Pos)
		n := d.statementAt(at)
		if n < 0 { // a call imports it
			continue
		}
		looked++
		s := &d.statements[n]
		if d.reads(name, s, inner[name]) || silenced(d.lines(s.start, s.end)) || d.record.Lang == "rust" && allowed.Match(d.src[:min(len(d.src), 4000)]) {
			continue
		}
		if short, ok := strings.CutSuffix(name, "Attribute"); ok && d.record.Lang == "csharp" && hasWord(d.src, short) {
			continue
		}
		u := unread{name: name, at: at, end: s.end}
		var used bool
		if u.doubt, u.why, used = d.importDoubt(name, info, s); !used {
			u.across = d.importedFrom(name, s)
			found = append(found, u)
		}
	}
	return found, looked
}

// statementAt returns the import at an offset, -1 for none.
func (d *reading) statementAt(at int) int {
	return slices.IndexFunc(d.statements, func(s importStatement) bool { return s.start <= at && at < s.end })
}

// reads reports whether the code that can see an import has its name. inner are imports of functions that
// bind it, too: what comes after one of them means that.
func (d *reading) reads(name string, s *importStatement, inner []importStatement) bool {
	for _, o := range d.words[d.folded(name)] {
		switch {
		case o.dollar:
			continue
		case s.class && o.member, d.record.Lang == "kotlin":
			return true
		case s.from == 0 && slices.ContainsFunc(inner, func(i importStatement) bool { return i.end <= o.at && o.at < i.to }):
			continue
		case o.member, o.at < s.from || o.at >= s.to && !s.class:
			continue
		}
		return true
	}
	return false
}

var (
	// silencers are in comments and attributes that tell a tool to say nothing of a line.
	silencers = regexp.MustCompile(`(?i)\bnoqa\b|pylint:\s*disable|NOPMD|noinspection|eslint-disable|tslint:disable|@ts-ignore|@ts-expect-error|biome-ignore|phpcs:|nolint|ktlint-disable|allow\(\s*(?:unused|dead_code)|expect\(\s*unused|SuppressWarnings|type:\s*ignore|pyright:\s*ignore`)
	noqaCodes = regexp.MustCompile(`(?i)\bnoqa\s*:\s*([A-Z]+\d+(?:[\s,]+[A-Z]+\d+)*)`)
	whole     = regexp.MustCompile(`(?im)^\s*(?:#\s*(?:flake8|ruff)\s*:\s*noqa\s*(?:$|:.*F401)|#\s*pylint\s*:\s*(?:disable=.*(?:unused-import|W0611|all)|skip-file)|/[/*]\s*@ts-nocheck|/\*\s*eslint-disable\s*(?:\*/|.*unused)|/[/*]\s*tslint:disable\s*(?:$|\*/)|@file:Suppress\(.*(?i:unused)|//\s*phpcs:ignoreFile)`)
	allowed   = regexp.MustCompile(`#!\[(?:allow|expect)\([^)]*\bunused(?:_imports)?\b`)
)

// silenced reports whether some lines have a mark that says that a name is meant to be unused.
func silenced(lines []byte) bool {
	at := silencers.FindIndex(lines)
	if at == nil {
		return false
	}
	if m := noqaCodes.FindAllSubmatch(lines, -1); m != nil { // of other things
		return slices.ContainsFunc(m, func(m [][]byte) bool {
			return bytes.Contains(bytes.ToUpper(m[1]), []byte("F401")) || bytes.Contains(bytes.ToUpper(m[1]), []byte("ARG"))
		})
	}
	return true
}

// effects are modules of Python's library that are loaded for what that does.
var effects = words("antigravity this readline rlcompleter site sitecustomize __main__ encodings turtledemo")

var (
	typed   = regexp.MustCompile(`#\s*type:`)
	dynamic = regexp.MustCompile(`\b(?:globals|locals|vars|eval|exec)\(|sys\.modules\[__name__\]`)
	fixture = regexp.MustCompile(`(?i)(?:^|/)(?:_*fixtures?_*|test-?_?data|snapshots?|corpus|samples?)/`)
	tests   = regexp.MustCompile(`(?i)test|spec`)
	newline = regexp.MustCompile(`\s*\n[ \t]*\*?[ \t]*`)
	pragma  = regexp.MustCompile(`@jsx\w*\s`)
	factory = words("React h Fragment createElement jsx jsxs Preact preact Inferno m")
)

// importDoubt says what could still use an import that the code of its file does not name. used: something does.
func (d *reading) importDoubt(name string, info *ir.ImportInfo, s *importStatement) (doubt Doubt, why string, used bool) {
	lang := d.record.Lang
	always := func([]byte, textKind) bool { return true }
	in := func(list []text, is func([]byte, textKind) bool) bool {
		return d.mentioned(list, name, 0, len(d.src), is)
	}
	switch {
	case fixture.MatchString(d.record.Path) || d.record.Traits.Test && !tests.MatchString(path.Base(d.record.Path)):
		return Large, "its file may be there for tests to look at", false
	case d.record.Traits.Declaration:
		return Large, "a file of declarations may give it to others", false
	case lang == "python" && in(d.strings, func(_ []byte, k textKind) bool { return k == typing || k == listing }),
		lang == "python" && in(d.comments, func(t []byte, _ textKind) bool { return typed.Match(t) }),
		in(d.comments, func(t []byte, _ textKind) bool { return pragma.Match(t) }),
		lang == "php" && in(d.comments, func(t []byte, _ textKind) bool { return bytes.Contains(t, []byte("@"+name)) }):
		return None, "", true
	case d.markup && factory[name]:
		return Large, "elements of JSX may need it", false
	case s.tried:
		return Large, "it is looked whether it can be imported", false
	case lang == "python" && path.Base(d.record.Path) == "conftest.py":
		return Large, "pytest may find it by its name", false
	case d.record.Traits.Barrel && lang == "python" && s.to == len(d.src):
		return Large, "what imports the package may take it from here", false
	case lang == "python" && dynamic.Match(d.src):
		return Some, "the file asks for names that it makes", false
	case lang == "python" && in(d.strings, func(t []byte, k textKind) bool {
		return k == docs && inLine(t, name, func(before string) bool { return strings.HasPrefix(before, ">>>") || strings.HasPrefix(before, "...") })
	}):
		return Large, "an example in a docstring has its name", false
	case lang != "php" && in(d.strings, func(t []byte, k textKind) bool { return k == plain && !bytes.ContainsAny(bytes.TrimSpace(t), " \t\n") }):
		return Large, "a string has its name", false
	case lang != "python" && in(d.comments, func(t []byte, _ textKind) bool {
		return bytes.HasPrefix(t, []byte("//")) && inLine(t, name, linked) || bytes.HasPrefix(t, []byte("/*")) && (inLine(t, name, linked) || inLine(joined(t), name, opened))
	}):
		return Large, "a comment for the documentation has its name", false
	case lang == "rust" && info.Flags&ir.Conditional != 0:
		return Large, "only some builds have it", false
	case lang == "rust" && (bytes.Contains(d.src, []byte("macro_rules!")) || bytes.Contains(d.src, []byte("#[cfg"))) && in(d.comments, always):
		return Large, "a comment has its name, and not all code is there in each build", false
	case lang == "kotlin" && operators[name]:
		return Large, "an operator may call it", false
	}
	return d.loadedFor(name, info)
}

// inLine reports whether a text has a word after what is of some form in its line.
func inLine(text []byte, word string, is func(before string) bool) bool {
	for line := range bytes.Lines(text) {
		for at := 0; hasWord(line[at:], word); {
			i := at + bytes.Index(line[at:], []byte(word))
			if is(strings.TrimSpace(string(line[:i]))) {
				return true
			}
			at = i + len(word)
		}
	}
	return false
}

// joined is a comment as one line: a link to a name of the program may go on in the next one.
func joined(comment []byte) []byte { return newline.ReplaceAll(comment, []byte(" ")) }

// linked reports whether what comes after the beginning of a line of a comment is a name of the program.
func linked(before string) bool {
	return strings.Contains(before, "@") || strings.Contains(before, "cref=") || strings.LastIndexAny(before, "{[`") > strings.LastIndexAny(before, "}]")
}

// opened reports whether the beginning of a line of a comment opens a link, which goes on.
func opened(before string) bool {
	return strings.LastIndex(before, "{@") > strings.LastIndexByte(before, '}')
}

// operators are the names of functions of Kotlin that are called without them; "assign" with a plugin of its compiler.
var operators = words("getValue setValue provideDelegate invoke iterator next hasNext contains rangeTo rangeUntil get set plus minus times div rem unaryPlus unaryMinus not inc dec " +
	"assign plusAssign minusAssign timesAssign divAssign remAssign compareTo equals component1 component2 component3 component4 component5")

// loadedFor says whether an import may be there for something else than its name.
func (d *reading) loadedFor(name string, info *ir.ImportInfo) (doubt Doubt, why string, used bool) {
	switch d.record.Lang {
	case "python":
		if module := d.form.String(info.Module); info.Name == 0 {
			first, _, _ := strings.Cut(module, ".")
			if !standard[first] || effects[first] {
				return Some, "loading the module may be what it is there for", false
			}
		} else if strings.Trim(module, ".") == "" {
			return Some, "loading the module may be what it is there for", false
		}
	case "rust":
		if c := name[0]; 'A' <= c && c <= 'Z' && name != strings.ToUpper(name) && !plainTypes[d.form.String(info.Name)] {
			return Large, "it may be a trait, whose methods are called without its name", false
		}
		return Some, "a macro, or a module below, may name it", false
	}
	return None, "", false
}

// plainTypes are types of Rust's library that are no traits.
var plainTypes = words("Arc BTreeMap BTreeSet BinaryHeap Box BufReader BufWriter Cell Command Cow Cursor Duration File HashMap HashSet Instant LinkedList Mutex NonNull " +
	"OnceCell OnceLock OsStr OsString Ordering Path PathBuf PhantomData Pin Rc RefCell RwLock Stdio String SystemTime TcpListener TcpStream Vec VecDeque Weak")

// standard are modules of Python's library.
var standard = words("__future__ abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 calendar cmath cmd code codecs collections colorsys compileall concurrent " +
	"configparser contextlib contextvars copy copyreg csv ctypes curses dataclasses datetime decimal difflib dis doctest email enum errno faulthandler fcntl filecmp fileinput fnmatch " +
	"fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib importlib inspect io ipaddress itertools json keyword linecache " +
	"locale logging lzma mailbox marshal math mimetypes mmap multiprocessing netrc numbers operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib poplib posixpath " +
	"pprint profile pstats pty pwd py_compile pyclbr pydoc queue quopri random re reprlib resource runpy sched secrets select selectors shelve shlex shutil signal smtplib socket " +
	"socketserver sqlite3 ssl stat statistics string stringprep struct subprocess symtable sys sysconfig syslog tarfile tempfile termios textwrap threading time timeit " +
	"tkinter token tokenize tomllib trace traceback tracemalloc tty turtle types typing typing_extensions unicodedata unittest urllib uuid venv warnings wave weakref webbrowser wsgiref " +
	"xml xmlrpc zipapp zipfile zipimport zlib zoneinfo")

// moduleOf is the last two names of the path of a module of Python that is a file, or one if that is all.
func moduleOf(file string) string {
	dir, name := path.Dir(file), strings.TrimSuffix(path.Base(file), path.Ext(file))
	if name == "__init__" {
		dir, name = path.Dir(dir), path.Base(dir)
	}
	return lastTwo(path.Join(dir, name))
}

// lastTwo is the end of a path of a module, which is written with slashes.
func lastTwo(at string) string {
	last := path.Base(at)
	if up := path.Base(path.Dir(at)); up != "." && up != "/" {
		return up + "." + last
	}
	return last
}

// importedFrom asks whether another file takes an imported name from its module.
func (d *reading) importedFrom(name string, s *importStatement) func(*traded) (Doubt, string, bool) {
	if d.record.Lang != "python" || s.from > 0 {
		return nil
	}
	module := moduleOf(d.record.Path)
	_, short, both := strings.Cut(module, ".")
	if !both {
		short = module
	}
	return func(all *traded) (Doubt, string, bool) {
		for _, m := range []string{module, short} {
			if _, ok := all.taken[all.key(m, name)]; ok {
				return None, "", true
			}
			if _, ok := all.stars[all.key(m, "*")]; ok {
				return Large, "another file imports all that its module has", false
			}
		}
		return None, "", false
	}
}

// trades notes what a file of Python takes of modules.
func (d *reading) trades(all *traded) {
	if d.record.Lang != "python" {
		return
	}
	for i := 1; i < len(d.form.Imports); i++ {
		info := &d.form.Imports[i]
		if info.Name == 0 {
			continue
		}
		module, name := d.form.String(info.Module), d.form.String(info.Name)
		inner := strings.TrimLeft(module, ".")
		at := strings.ReplaceAll(inner, ".", "/")
		if up := len(module) - len(inner); up > 0 { // it begins at the folder of the file, or at one around that
			at = path.Join(path.Dir(d.record.Path), strings.Repeat("../", up-1), at)
		}
		module = lastTwo(at)
		if name == "*" {
			all.stars[all.key(module, name)] = struct{}{}
		} else {
			all.taken[all.key(module, name)] = struct{}{}
		}
	}
	for _, s := range d.strings { // "package.module.name"
		in := bytes.Trim(d.src[s.start:s.end], "'\"")
		if len(in) > 200 || bytes.ContainsAny(in, " \n") {
			continue
		}
		if parts := strings.FieldsFunc(string(in), func(r rune) bool { return r == '.' || r == ':' }); len(parts) > 1 {
			all.taken[all.key(parts[len(parts)-2], parts[len(parts)-1])] = struct{}{}
			if len(parts) > 2 {
				all.taken[all.key(parts[len(parts)-3], parts[len(parts)-2])] = struct{}{}
			}
		}
	}
}
