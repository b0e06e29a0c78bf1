package calls

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/quarry-search/quarry/index/internal/graph"
	"github.com/quarry-search/quarry/index/internal/store"
	"github.com/quarry-search/quarry/index/internal/syntax"
)

const (
	maxAncestors = 6    // classes above one that are looked at
	maxHead      = 2000 // bytes of a class or a method before its body
)

// calledBack returns what is outside of the index and may call a method: an interface that
// its class implements, a class that it inherits from, or what all objects are passed to.
// It is "" for a function that only code which names it can call.
func (w *Walk) calledBack(r *store.Record, i int32) string {
	s := &r.Symbols[i]
	up := r.Around(i)
	if !store.Runs(s.Kind()) || s.Parent == "" || s.Kind() == syntax.Constructor || MakesInstances(s.Name) {
		return ""
	}
	if r.Lang == "go" {
		return goInterfaces[s.Name]
	}
	if up < 0 || harmlessBases(r.Lang) == nil {
		return ""
	}
	said, _, _ := strings.Cut(string(headOf(r, s.Start, s.End)), "{")
	if strings.Contains(said, "private ") || strings.HasPrefix(s.Name, "#") || r.Lang == "python" && strings.HasPrefix(s.Name, "_") {
		return ""
	}
	over := overriding.MatchString(said)
	if over && ofAllObjects[s.Name] {
		return "Object"
	}
	return w.outsideBase(r, up, over, strings.Contains(said, "public"))
}

// headOf is the text of a symbol as far as it can be its head.
func headOf(r *store.Record, start, end uint32) []byte {
	return r.Text.Slice(int(start), min(int(end), int(start)+maxHead))
}

// overriding finds the words that say that a method is one of a base.
var overriding = regexp.MustCompile(`@Override\b|\boverride\b`)

// ofAllObjects are the methods of the root class of Java, Kotlin and C#.
var ofAllObjects = map[string]bool{"toString": true, "hashCode": true, "equals": true, "finalize": true, "clone": true, "ToString": true, "GetHashCode": true, "Equals": true}

// outsideBases are the languages whose classes are looked at, with bases outside of the
// index that call no method which has not one of their own names.
var outsideBases = map[string]map[string]bool{
	"python": {"object": true, "ABC": true, "Protocol": true, "Generic": true, "Enum": true, "IntEnum": true, "StrEnum": true, "Flag": true,
		"NamedTuple": true, "TypedDict": true, "BaseException": true, "dict": true, "list": true, "tuple": true, "set": true, "str": true, "int": true, "float": true, "type": true},
	"java":       {"Serializable": true, "Cloneable": true, "Enum": true, "Record": true, "Annotation": true},
	"kotlin":     {"Serializable": true, "Any": true},
	"csharp":     {},
	"javascript": {"Error": true, "Object": true},
	"php":        {},
	"ruby":       {"Struct": true, "StandardError": true, "Object": true, "BasicObject": true},
	"cpp":        {},
	"scala":      {"Serializable": true, "Product": true, "AnyVal": true, "AnyRef": true},
}

// harmlessBases is outsideBases of a language; nil where its classes are not looked at.
func harmlessBases(language string) map[string]bool {
	if known := outsideBases[language]; known != nil {
		return known
	}
	return outsideBases[store.CrossFamily(language)]
}

// outsideBase returns a class or an interface outside of the index above a class, or "". A
// name is looked up once, however many classes have it: 500 of class Meta(Base.Meta) are
// above each other.
func (w *Walk) outsideBase(r *store.Record, class int32, over, public bool) string {
	harmless := harmlessBases(r.Lang)
	inside := map[string]bool{} // by the names that were looked up
	level := []store.SymbolRef{{Record: r, Symbol: uint32(class)}}
	for depth := 0; len(level) > 0 && depth <= maxAncestors; depth++ {
		var above []store.SymbolRef
		for _, c := range level {
			s := &c.Record.Symbols[c.Symbol]
			for _, b := range basesIn(r.Lang, s.Name, headOf(c.Record, s.Start, s.End)) {
				if harmless[b.name] || r.Lang == "python" && isException(b.name) {
					continue
				}
				known, asked := inside[b.name]
				if !asked {
					defined := slices.DeleteFunc(Definitions(w.index, b.name), func(d store.SymbolRef) bool {
						return !graph.SameFamily(d.Record.Lang, r.Lang) || store.Runs(d.Record.Symbols[d.Symbol].Kind())
					})
					known = len(defined) > 0
					inside[b.name] = known
					above = append(above, defined...)
				}
				// A class of the library is overridden where that is said; an interface is
				// not always implemented so.
				if !known && (over || b.implemented && public || !saysOverride(r.Lang)) {
					return b.name
				}
			}
		}
		level = above
	}
	return ""
}

// isException reports whether a class of Python's library is one of its exceptions.
func isException(name string) bool {
	return strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Exception") || strings.HasSuffix(name, "Warning")
}

// saysOverride reports whether methods of a language say that they override one.
func saysOverride(language string) bool {
	switch language {
	case "java", "kotlin", "csharp", "scala", "cpp":
		return true
	}
	return false
}

// A baseName is a base as the head of a class names it.
type baseName struct {
	name        string
	implemented bool // it is an interface
}

// basesIn reads the bases of a class from its text, which begins with its head.
func basesIn(language, name string, head []byte) (out []baseName) {
	at := bytes.Index(head, []byte(name))
	if at < 0 {
		return nil
	}
	text := string(head[at+len(name):])
	implemented := false
	switch language {
	case "python":
		open, rest, ok := strings.Cut(text, "(")
		if !ok || strings.TrimSpace(open) != "" {
			return nil
		}
		text = "(" + rest
		if end := closing(text); end > 0 {
			text = text[1:end]
		}
		text = withoutNested(text)
	case "ruby":
		text, _, _ = strings.Cut(text, "\n")
		_, text, _ = strings.Cut(text, "<")
		text = withoutNested(text)
	default:
		text, _, _ = strings.Cut(text, "{")
		text = withoutNested(text)
		i := inherits.FindStringIndex(text)
		if i == nil {
			return nil
		}
		text = text[i[0]:]
	}
	for _, part := range strings.FieldsFunc(inherits.ReplaceAllStringFunc(text, func(word string) string {
		if strings.TrimSpace(word) == "implements" {
			return ",implements ,"
		}
		return ","
	}), func(c rune) bool { return c == ',' }) {
		part = strings.TrimSpace(part)
		if part == "implements" {
			implemented = true
			continue
		}
		if language == "python" && strings.Contains(part, "=") {
			continue
		}
		fields := strings.FieldsFunc(part, func(c rune) bool { return strings.ContainsRune(" \t\r\n.\\:", c) })
		if len(fields) == 0 || !isName(fields[len(fields)-1]) {
			continue
		}
		b := fields[len(fields)-1]
		out = append(out, baseName{b, implemented || language == "csharp" && len(b) > 1 && b[0] == 'I' && b[1] >= 'A' && b[1] <= 'Z'})
	}
	return slices.Compact(out)
}

// inherits finds what stands before the bases of a class.
var inherits = regexp.MustCompile(`\bextends\b|\bimplements\b|\bwith\b|(?:^|[^:]):(?:[^:]|$)`)

func isName(s string) bool {
	return s != "" && (s[0] == '_' || s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}

// closing returns the place of the parenthesis that closes the one which a text begins
// with, or -1.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(', '[':
			depth++
		case ')', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// withoutNested leaves out what is in brackets.
func withoutNested(text string) string {
	var b strings.Builder
	depth := 0
	for i := range len(text) {
		switch c := text[i]; c {
		case '(', '[', '<':
			depth++
		case ')', ']', '>':
			depth = max(0, depth-1)
		default:
			if depth == 0 {
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

// goInterfaces are the methods of the interfaces of Go's library that it calls itself, with
// one that has each.
var goInterfaces = map[string]string{
	"Error": "error", "Unwrap": "errors.Unwrap", "Is": "errors.Is", "As": "errors.As", "String": "fmt.Stringer", "GoString": "fmt.GoStringer", "Format": "fmt.Formatter", "Scan": "fmt.Scanner",
	"Read": "io.Reader", "Write": "io.Writer", "Close": "io.Closer", "Seek": "io.Seeker", "ReadFrom": "io.ReaderFrom", "WriteTo": "io.WriterTo", "ReadAt": "io.ReaderAt",
	"WriteAt": "io.WriterAt", "ReadByte": "io.ByteReader", "WriteByte": "io.ByteWriter", "ReadRune": "io.RuneReader", "UnreadByte": "io.ByteScanner", "UnreadRune": "io.RuneScanner", "WriteString": "io.StringWriter",
	"Len": "sort.Interface", "Less": "sort.Interface", "Swap": "sort.Interface", "Push": "heap.Interface", "Pop": "heap.Interface",
	"Open": "fs.FS", "Stat": "fs.File", "ReadDir": "fs.ReadDirFile", "ReadFile": "fs.ReadFileFS", "Glob": "fs.GlobFS", "Sub": "fs.SubFS", "Name": "fs.FileInfo", "Size": "fs.FileInfo", "Mode": "fs.FileInfo", "ModTime": "fs.FileInfo", "IsDir": "fs.FileInfo", "Sys": "fs.FileInfo", "Info": "fs.DirEntry", "Type": "fs.DirEntry",
	"ServeHTTP": "http.Handler", "RoundTrip": "http.RoundTripper", "Header": "http.ResponseWriter", "WriteHeader": "http.ResponseWriter", "Flush": "http.Flusher", "Hijack": "http.Hijacker",
	"MarshalJSON": "json.Marshaler", "UnmarshalJSON": "json.Unmarshaler", "MarshalText": "encoding.TextMarshaler", "UnmarshalText": "encoding.TextUnmarshaler", "MarshalBinary": "encoding.BinaryMarshaler", "UnmarshalBinary": "encoding.BinaryUnmarshaler", "MarshalXML": "xml.Marshaler", "UnmarshalXML": "xml.Unmarshaler", "GobEncode": "gob.GobEncoder", "GobDecode": "gob.GobDecoder", "MarshalYAML": "yaml.Marshaler", "UnmarshalYAML": "yaml.Unmarshaler",
	"Set": "flag.Value", "Value": "driver.Valuer", "Accept": "net.Listener", "Addr": "net.Listener", "LocalAddr": "net.Conn", "RemoteAddr": "net.Conn", "SetDeadline": "net.Conn", "SetReadDeadline": "net.Conn", "SetWriteDeadline": "net.Conn", "Network": "net.Addr", "Timeout": "net.Error", "Temporary": "net.Error",
	"Lock": "sync.Locker", "Unlock": "sync.Locker", "Done": "context.Context", "Err": "context.Context", "Deadline": "context.Context", "Handle": "slog.Handler", "Enabled": "slog.Handler", "WithAttrs": "slog.Handler", "WithGroup": "slog.Handler", "LogValue": "slog.LogValuer", "Sum": "hash.Hash", "Reset": "hash.Hash", "BlockSize": "hash.Hash",
	"Visit": "ast.Visitor", "At": "image.Image", "Bounds": "image.Image", "ColorModel": "image.Image", "RGBA": "color.Color", "Int63": "rand.Source", "Uint64": "rand.Source", "Seed": "rand.Source", "Generate": "quick.Generator",
}

// goMethods are the methods of all interfaces of Go's library, as of Go 1.26, that a type
// elsewhere can implement, and those that it asks for without an interface of a name. What
// is called on a value of the library by another name is not of this project.
var goMethods = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(`
		Accept Add Addr Alignof AppendBinary AppendText AppendUint16 AppendUint32 AppendUint64 As At Begin BeginTx BlockSize
		Bounds Bytes CheckNamedValue Clone Close CloseNotify ColorIndexAt ColorModel ColumnConverter ColumnTypeDatabaseTypeName
		ColumnTypeLength ColumnTypeNullable ColumnTypePrecisionScale ColumnTypeScanType Columns Commit Common Connect Control
		Convert ConvertValue Cookies CryptBlocks Curve Deadline Decapsulate Decrypt Done Double Draw Driver ECDH Enabled
		Encapsulate Encapsulator Encrypt End Err Error Exec ExecContext Flag Flush Format Generate Get Glob Gname GoString
		GobDecode GobEncode Handle HasNextResultSet HashFunc Header Hijack Import ImportFrom Info Int63 Is IsDir IsOnCurve
		IsValid LastInsertId Len Less Level LocalAddr Lock LogValue Lstat MarshalBinary MarshalJSON MarshalText MarshalXML
		MarshalXMLAttr MarshalYAML ModTime Mode Name Network Next NextResultSet NonceSize NumInput Offsetsof Open OpenConnector
		Overhead Params Ping Pop Pos Precision Prepare PrepareContext Public PublicKey PublicSuffix Push Put PutUint16 PutUint32
		PutUint64 Quantize Query QueryContext RGBA RGBA64At Raw Read ReadAt ReadByte ReadDir ReadFile ReadFrom ReadLink
		ReadRequestBody ReadRequestHeader ReadResponseBody ReadResponseHeader ReadRune Readdir RemoteAddr Reset ResetSession
		Rollback RoundTrip RowsAffected RuntimeError ScalarBaseMult ScalarMult Scan Seal Seed Seek ServeHTTP Set SetCookies
		SetDeadline SetRGBA64 SetReadDeadline SetWriteDeadline Sign SignMessage Signal Size Sizeof SkipSpace Start Stat String
		Sub Sum Sum32 Sum64 Swap Sys SyscallConn Temporary Timeout Token Type Uint16 Uint32 Uint64 Uname Underlying Unlock
		UnmarshalBinary UnmarshalJSON UnmarshalText UnmarshalXML UnmarshalXMLAttr UnmarshalYAML UnreadByte UnreadRune Unwrap
		Value Visit Width WithAttrs WithGroup Write WriteAt WriteByte WriteHeader WriteRequest WriteResponse WriteString WriteTo
		XORKeyStream`) {
		all[name] = true
	}
	return all
}()

// ofGoLibrary reports whether the path of a call is one of Go's library: its packages alone
// have paths whose first part has no dot.
func ofGoLibrary(path string) bool {
	first, rest, nested := strings.Cut(path, "/")
	if !nested {
		return strings.Contains(path, ".") // os.Remove
	}
	return rest != "" && !strings.Contains(first, ".")
}
