package protocol

import (
	"slices"
	"strings"
)

// goInterfaces are the methods of the interfaces of Go's library that it calls itself, with
// one that has each.
var goInterfaces = map[string]string{
	"Error": "error", "Unwrap": "errors.Unwrap", "Is": "errors.Is", "As": "errors.As", "String": "fmt.Stringer", "GoString": "fmt.GoStringer", "Format": "fmt.Formatter", "Scan": "fmt.Scanner",
	"Read": "io.Reader", "Write": "io.Writer", "Close": "io.Closer", "Seek": "io.Seeker", "ReadFrom": "io.ReaderFrom", "WriteTo": "io.WriterTo", "ReadAt": "io.ReaderAt",
	"WriteAt": "io.WriterAt", "ReadByte": "io.ByteReader", "WriteByte": "io.ByteWriter", "ReadRune": "io.RuneReader", "UnreadByte": "io.ByteScanner", "UnreadRune": "io.RuneScanner", "WriteString": "io.StringWriter",
	"Len": "sort.Interface", "Less": "sort.Interface", "Swap": "sort.Interface", "Push": "heap.Interface", "Pop": "heap.Interface",
	"Open": "fs.FS", "Stat": "fs.File", "ReadDir": "fs.ReadDirFile", "ReadFile": "fs.ReadFileFS", "Glob": "fs.GlobFS", "Sub": "fs.SubFS", "Name": "fs.FileInfo", "Size": "fs.FileInfo", "Mode": "fs.FileInfo", "ModTime": "fs.FileInfo", "IsDir": "fs.FileInfo", "Sys": "fs.FileInfo", "Info": "fs.DirEntry", "Type": "fs.DirEntry",
	"ServeHTTP": "http.Handler", "RoundTrip": "http.RoundTripper", "Header": "http.ResponseWriter", "WriteHeader": "http.ResponseWriter", "Flush": "http.Flusher", "FlushError": "http.ResponseController", "IsZero": "json, where a field says omitzero", "Hijack": "http.Hijacker",
	"MarshalJSON": "json.Marshaler", "UnmarshalJSON": "json.Unmarshaler", "MarshalText": "encoding.TextMarshaler", "UnmarshalText": "encoding.TextUnmarshaler", "MarshalBinary": "encoding.BinaryMarshaler", "UnmarshalBinary": "encoding.BinaryUnmarshaler", "MarshalXML": "xml.Marshaler", "UnmarshalXML": "xml.Unmarshaler", "GobEncode": "gob.GobEncoder", "GobDecode": "gob.GobDecoder", "MarshalYAML": "yaml.Marshaler", "UnmarshalYAML": "yaml.Unmarshaler",
	"Set": "flag.Value", "IsBoolFlag": "flag.Value", "Value": "driver.Valuer", "Accept": "net.Listener", "Addr": "net.Listener", "LocalAddr": "net.Conn", "RemoteAddr": "net.Conn", "SetDeadline": "net.Conn", "SetReadDeadline": "net.Conn", "SetWriteDeadline": "net.Conn", "Network": "net.Addr", "Timeout": "net.Error", "Temporary": "net.Error",
	"Lock": "sync.Locker", "Unlock": "sync.Locker", "Done": "context.Context", "Err": "context.Context", "Deadline": "context.Context", "Handle": "slog.Handler", "Enabled": "slog.Handler", "WithAttrs": "slog.Handler", "WithGroup": "slog.Handler", "LogValue": "slog.LogValuer", "Sum": "hash.Hash", "Reset": "hash.Hash", "BlockSize": "hash.Hash",
	"Visit": "ast.Visitor", "At": "image.Image", "Bounds": "image.Image", "ColorModel": "image.Image", "RGBA": "color.Color", "Int63": "rand.Source", "Uint64": "rand.Source", "Seed": "rand.Source", "Generate": "quick.Generator",
}

// goTakes are how many parameters these methods take: one with more or fewer is none of the interface.
var goTakes = func() map[string]int {
	takes := map[string]int{}
	for n, names := range []string{
		`Error Unwrap String GoString Close ReadByte ReadRune UnreadByte UnreadRune Len Pop Name Size Mode ModTime IsDir Sys Info
		Header Flush FlushError IsZero Hijack MarshalJSON MarshalText MarshalBinary GobEncode MarshalYAML Accept Addr LocalAddr
		RemoteAddr Network Timeout Temporary Lock Unlock Done Err Deadline LogValue Reset BlockSize Bounds ColorModel RGBA Int63 Uint64 IsBoolFlag`,
		`Is As Read Write ReadFrom WriteTo WriteByte WriteString Push ReadDir ReadFile Glob Sub RoundTrip WriteHeader UnmarshalJSON
		UnmarshalText UnmarshalBinary GobDecode UnmarshalYAML SetDeadline SetReadDeadline SetWriteDeadline WithAttrs WithGroup Sum Visit Seed`,
		`Format Seek ReadAt WriteAt Less Swap ServeHTTP MarshalXML UnmarshalXML Handle Enabled At Generate`,
	} {
		for _, name := range strings.Fields(names) {
			takes[name] = n
		}
	}
	return takes
}()

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
		GobDecode GobEncode Handle HasNextResultSet HashFunc Header Hijack Import ImportFrom Info Int63 Is IsBoolFlag IsDir IsOnCurve
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

// goSets are the methods of interfaces of Go's library that it asks for together, where it has one that
// it does not call.
var goSets = [][]string{
	{"Close", "Read", "Readdir", "Seek", "Stat"}, // http.File
	{"Lstat", "Open", "ReadLink"},                // fs.ReadLinkFS
	{"Begin", "Close", "Prepare"},                // driver.Conn
	{"Close", "Exec", "NumInput", "Query"},       // driver.Stmt
	{"Close", "Columns", "Next"},                 // driver.Rows
	{"Commit", "Rollback"}, {"LastInsertId", "RowsAffected"}, {"Connect", "Driver"},
	{"BlockSize", "Decrypt", "Encrypt"}, {"NonceSize", "Open", "Overhead", "Seal"}, {"BlockSize", "CryptBlocks"},
	{"Public", "Sign"}, {"Decrypt", "Public"}, {"Cookies", "SetCookies"}, {"Get", "Put"}, {"Signal", "String"},
	{"BlockSize", "Reset", "Size", "Sum", "Write"}, {"At", "Bounds", "ColorModel", "Set"},
}

// goWhole are the methods of interfaces of GoInterface that its library only asks for together: a type with a part of
// them is none. What it asks for by itself is not among them.
var goWhole = func() map[string][][]string {
	sets := map[string][][]string{}
	for _, line := range []string{
		"Len Less Swap", "Len Less Swap Push Pop", "ReadByte UnreadByte", "ReadRune UnreadRune",
		"Stat Read Close", "Open Stat", "Open ReadFile", "Open Glob", "Open Sub", "Open ReadDir", "Stat ReadDir", "Name IsDir Type Info", "Name Size Mode ModTime IsDir Sys",
		"Write Sum Reset Size BlockSize", "Accept Close Addr", "Close LocalAddr SetDeadline", "Read Write RemoteAddr SetDeadline", "Header Write WriteHeader",
		"Network String", "Lock Unlock", "Deadline Done Err Value", "Enabled Handle WithAttrs WithGroup", "ColorModel Bounds At", "Int63 Seed", "Set String", "IsBoolFlag Set String",
	} {
		set := strings.Fields(line)
		for _, name := range set {
			switch name {
			case "Read", "Write", "Close", "Open", "String", "Value", "ReadByte", "ReadRune": // one that has this alone is an interface, too
			default:
				sets[name] = append(sets[name], set)
			}
		}
	}
	return sets
}()

// GoWhole reports whether some methods, of which one has a name, have all of an interface of GoInterface with that.
func GoWhole(name string, methods map[string]bool) bool {
	sets := goWhole[name]
	return len(sets) == 0 || slices.ContainsFunc(sets, func(set []string) bool {
		return !slices.ContainsFunc(set, func(m string) bool { return !methods[m] })
	})
}

// OfGoLibrary reports whether the path of a call is one of Go's library: its packages alone
// have paths whose first part has no dot.
func OfGoLibrary(path string) bool {
	first, rest, nested := strings.Cut(path, "/")
	if !nested {
		return strings.Contains(path, ".") // os.Remove
	}
	return rest != "" && !strings.Contains(first, ".")
}

// GoInterface returns an interface of Go's library that has a method with a name and a head, and that the
// library calls it by, "" for none.
func GoInterface(name, head string) string {
	if takes, ok := goTakes[name]; ok && ArityOf("go", name, []byte(head)).Apart(Arity{least: takes, most: takes, known: true}) {
		return ""
	}
	return goInterfaces[name]
}

// GoInterfaceOf reports whether some methods have all of an interface of Go's library that has one of
// a name, too, and that is not one of GoInterface.
func GoInterfaceOf(name string, methods map[string]bool) bool {
	return slices.ContainsFunc(goSets, func(set []string) bool {
		return slices.Contains(set, name) && !slices.ContainsFunc(set, func(m string) bool { return !methods[m] })
	})
}

// GoMethod reports whether an interface of Go's library has a method of a name.
func GoMethod(name string) bool { return goMethods[name] }
