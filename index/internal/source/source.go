// Package source says which files of a root belong to the index, reads them,
// and is the one gate that every path from outside passes.
//
// It promises that nothing outside the root is read (os.Root), that secrets are
// neither listed nor read, and that every file that is left out of the index
// for what it is (not because the user ignores it) is reported with a Reason.
package source

// A File is a file that belongs to the index as far as its name and size tell.
type File struct {
	Path    string // relative to the root, with slashes
	Size    int64  // in bytes
	ModTime int64  // nanoseconds since 1970
}

// A Reason says why a file is not in the index.
type Reason string

// The reasons, as they appear in /status under coverage.
const (
	Binary     Reason = "binary"      // a NUL byte, or a type that is never text
	Generated  Reason = "generated"   // says of itself that a program wrote it
	Minified   Reason = "minified"    // *.min.js and its like, or text without line breaks
	Oversized  Reason = "oversized"   // larger than Options.MaxFileBytes
	LongLine   Reason = "long_line"   // one line longer than Options.MaxLineBytes
	NotUTF8    Reason = "not_utf8"    // text in another encoding
	Secret     Reason = "secret"      // a name that holds keys or credentials
	Symlink    Reason = "symlink"     // a link that leads out of the root, or to a folder
	Unreadable Reason = "unreadable"  // permission denied, or another error that does not pass
	Pending    Reason = "pending"     // an error that passes, see oserror; of a folder, it stands for all below
	Vanished   Reason = "vanished"    // listed, but gone when it was read
	TooDeep    Reason = "too_deep"    // below more than 128 folders
	Special    Reason = "special"     // a device, a socket or a named pipe
	ParseError Reason = "parse_error" // indexed as plain text, because the parser gave up
)

// Undecoded reports whether Text gives nothing of a file for its NUL bytes or its encoding. Text that is not UTF-8 it gives.
func (s *Skip) Undecoded() bool {
	return s.Reason == Binary || s.Reason == NotUTF8 && s.Detail == utf16
}

// Form reports whether a file is left out for the form of its text, which can be searched all the same.
func (r Reason) Form() bool {
	switch r {
	case Generated, Minified, Oversized, LongLine, NotUTF8:
		return true
	}
	return false
}

// A Skip is a file that is left out, and why.
type Skip struct {
	Path   string
	Reason Reason
	Detail string // for people: the size, the limit, the system's error
}
