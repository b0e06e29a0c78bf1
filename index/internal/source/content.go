package source

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/quarry-search/quarry/index/internal/secret"
)

// A NUL byte in the first part of a file says that it is binary, as for git.
const binaryProbe = 8 << 10

// Web files longer than minifiedBytes whose lines are longer than minifiedLine
// on average were not written by hand.
const (
	minifiedBytes = 4 << 10
	minifiedLine  = 500
)

// Read returns the text of a file, valid UTF-8 and as it is on disk, or why it
// does not belong to the index. It follows no link, in no element of the path,
// and never waits for a pipe or a device. The text is the caller's.
//
// The error is for misuse: ErrOutside for a path that is not below the root,
// fs.ErrClosed after Close. What the file or the system does is a Skip.
func (t *Tree) Read(f File) ([]byte, *Skip, error) {
	r := t.Reader()
	defer r.Close()
	return r.Read(f)
}

// refused returns why a file is not read, whatever it holds and whatever the rules say.
func (t *Tree) refused(name string) *Skip {
	if t.IsSecret(name) {
		return &Skip{name, Secret, secretDetail}
	}
	for elem := range strings.SplitSeq(name, "/") {
		if neverFolder(elem) {
			return &Skip{name, ByRules, versionDetail}
		}
	}
	return nil
}

const versionDetail = "it belongs to a version control system"

// masked masks the secrets in a file's text, which is the caller's to change. Every text
// that leaves the package comes through it or through maskedAgain.
func (t *Tree) masked(name string, text []byte) []byte {
	if !t.opt.KeepSecrets {
		secret.Mask(text, masksNames(name))
	}
	return text
}

// masksNames reports whether what a file assigns to names may be a secret.
func masksNames(name string) bool {
	kind := TraitsOf(name)
	return !kind.Test && !kind.Example
}

// A clean is a text that masking leaves as it is.
type clean struct {
	hash  uint64 // with a seed of this process: nobody can write a text to have that of another
	names bool
}

// maxClean bounds how many are known.
const maxClean = 4096

var cleanSeed = maphash.MakeSeed()

// maskedAgain is masked for a text that may be read many times, as large generated tables are for
// each question about a name in them: to mask one takes ten times as long as to know it again.
func (t *Tree) maskedAgain(name string, text []byte) []byte {
	if t.opt.KeepSecrets {
		return text
	}
	known := clean{maphash.Bytes(cleanSeed, text), masksNames(name)}
	t.mu.Lock()
	_, ok := t.clean[known]
	t.mu.Unlock()
	if ok || secret.Mask(text, known.names) > 0 {
		return text
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.clean == nil || len(t.clean) >= maxClean {
		t.clean = map[clean]struct{}{}
	}
	t.clean[known] = struct{}{}
	return text
}

// readRegular reads a regular file of at most so many bytes whose name is not that of a
// binary format. The size is the file's, in bytes, whether or not it is read; -1: not known.
func (t *Tree) readRegular(name string, most int64) (text []byte, size int64, skip *Skip, err error) {
	c := t.cursor(nil)
	defer c.close()
	return t.readAt(c, name, most)
}

// readAt is readRegular with a cursor, which it moves.
func (t *Tree) readAt(c *cursor, name string, most int64) (text []byte, size int64, skip *Skip, err error) {
	info, err := c.lstat(name)
	if err != nil {
		skip, err := readError(name, err)
		return nil, -1, skip, err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		skip, err := readError(name, errLinked)
		return nil, -1, skip, err
	case info.IsDir():
		return nil, -1, &Skip{name, Special, "a folder"}, nil
	case !info.Mode().IsRegular():
		return nil, -1, &Skip{name, Special, "not a regular file"}, nil
	}
	size = info.Size()
	switch {
	case binaryName(name):
		return nil, size, t.byName(name, 0), nil
	case size > most:
		return nil, size, oversized(name, size, most), nil
	}
	text, skip, err = c.readAs(info, name, most)
	return text, size, skip, err
}

// readAs reads the file that info describes, which the cursor stands at.
func (c *cursor) readAs(info fs.FileInfo, name string, most int64) ([]byte, *Skip, error) {
	_, base := split(name)
	file, err := c.top().dir.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK)
	if err != nil {
		skip, err := readError(name, err)
		return nil, skip, err
	}
	defer file.Close()
	// What was opened must be what was looked at: in between, somebody may have
	// put a link or a pipe in its place.
	opened, err := file.Stat()
	if err != nil {
		skip, err := readError(name, err)
		return nil, skip, err
	}
	if !os.SameFile(info, opened) {
		return nil, &Skip{name, Vanished, "replaced while it was opened"}, nil
	}
	text := make([]byte, 0, opened.Size()+bytes.MinRead)
	buf := bytes.NewBuffer(text)
	if _, err := buf.ReadFrom(io.LimitReader(file, most+1)); err != nil {
		skip, err := readError(name, err)
		return nil, skip, err
	}
	if n := int64(buf.Len()); n > most {
		return nil, oversized(name, n, most), nil
	}
	return buf.Bytes(), nil, nil
}

func readError(name string, err error) (*Skip, error) {
	switch {
	case errors.Is(err, fs.ErrClosed):
		return nil, fmt.Errorf("read %s: %w", name, fs.ErrClosed)
	case errors.Is(err, errLinked):
		return &Skip{name, Symlink, "the path leads through a symbolic link"}, nil
	case errors.Is(err, fs.ErrNotExist):
		return &Skip{name, Vanished, "no longer there"}, nil
	}
	return &Skip{name, unread(err), cause(err)}, nil
}

// byContent returns why a text does not belong to the index.
func (t *Tree) byContent(name string, text []byte) *Skip {
	if skip := binaryText(name, text); skip != nil {
		return skip
	}
	if skip := encoding(name, text); skip != nil {
		return skip
	}
	if line := generatedBy(name, text); line != "" {
		return &Skip{name, Generated, line}
	}
	lines, longest := lineLengths(text)
	if len(text) > minifiedBytes && len(text)/lines > minifiedLine && isWeb(name) || isSourceMap(name, text) {
		return &Skip{name, Minified, fmt.Sprintf("%d bytes in %d lines", len(text), lines)}
	}
	if longest > t.opt.MaxLineBytes {
		return &Skip{name, LongLine, fmt.Sprintf("a line of %d bytes, more than %d", longest, t.opt.MaxLineBytes)}
	}
	return nil
}

// binaryText returns why a text has no lines that a search by bytes could find: it is
// binary, or has two bytes a letter.
func binaryText(name string, text []byte) *Skip {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		return &Skip{name, NotUTF8, utf16}
	}
	if i := bytes.IndexByte(text[:min(len(text), binaryProbe)], 0); i >= 0 {
		return &Skip{name, Binary, fmt.Sprintf("a NUL byte at offset %d", i)}
	}
	return nil
}

// utf16 is the Detail of the Skip of a text in two bytes a letter.
const utf16 = "UTF-16, by its byte order mark"

// encoding returns where a text is not UTF-8.
func encoding(name string, text []byte) *Skip {
	if i := invalidUTF8(text); i >= 0 {
		return &Skip{name, NotUTF8, fmt.Sprintf("not UTF-8 at byte offset %d", i)}
	}
	return nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// lineLengths counts the lines, at least one, and measures the longest.
func lineLengths(text []byte) (lines, longest int) {
	for len(text) > 0 {
		n := bytes.IndexByte(text, '\n')
		if n < 0 {
			n = len(text)
		}
		lines++
		longest = max(longest, n)
		text = text[min(n+1, len(text)):]
	}
	return max(lines, 1), longest
}

func isWeb(name string) bool {
	switch Language(name, nil) {
	case "javascript", "css", "html":
		return true
	}
	return false
}

func isSourceMap(name string, text []byte) bool {
	return strings.HasSuffix(strings.ToLower(name), ".map") && bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte(`{"version"`))
}

func minifiedName(name string) bool {
	_, base := split(strings.ToLower(name))
	for _, end := range []string{
		".min.js", ".min.mjs", ".min.cjs", ".min.css", "-min.js", "-min.css",
		".js.map", ".mjs.map", ".cjs.map", ".css.map", ".ts.map",
	} {
		if strings.HasSuffix(base, end) {
			return true
		}
	}
	return false
}

// lockFile says whether a package manager writes files of this name. They are
// long, and what they say is in the manifest next to them.
func lockFile(name string) bool {
	_, base := split(name)
	switch base {
	case "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "deno.lock",
		"Cargo.lock", "go.sum", "go.work.sum", "composer.lock", "poetry.lock", "Pipfile.lock", "uv.lock", "pdm.lock",
		"Gemfile.lock", "Podfile.lock", "Package.resolved", "mix.lock", "rebar.lock", "pubspec.lock", "flake.lock",
		"gradle.lockfile", "packages.lock.json", ".terraform.lock.hcl", "MODULE.bazel.lock", "Chart.lock":
		return true
	}
	return false
}

// binaryName says whether the extension belongs to a format that is never text.
func binaryName(name string) bool {
	_, base := split(strings.ToLower(name))
	_, ext := cutExt(base)
	switch ext {
	case ".png", ".jpg", ".jpeg", ".gif", ".bmp", ".ico", ".icns", ".webp", ".avif", ".heic", ".tif", ".tiff", ".psd", ".xcf",
		".mp3", ".mp4", ".m4a", ".m4v", ".mov", ".avi", ".mkv", ".webm", ".wav", ".flac", ".ogg", ".opus",
		".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".lz4", ".7z", ".rar", ".jar", ".war", ".ear", ".aar", ".apk", ".ipa",
		".deb", ".rpm", ".dmg", ".iso", ".whl", ".egg", ".gem", ".crate", ".nupkg", ".vsix",
		".ttf", ".otf", ".woff", ".woff2", ".eot",
		".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".odp", ".epub",
		".exe", ".dll", ".so", ".dylib", ".lib", ".obj", ".pyc", ".pyo", ".pyd", ".class", ".wasm", ".beam", ".hi", ".rlib", ".rmeta", ".node",
		".db", ".sqlite", ".sqlite3", ".mdb", ".parquet", ".arrow", ".feather", ".npy", ".npz", ".h5", ".hdf5", ".pkl", ".pickle",
		".onnx", ".pt", ".pth", ".safetensors", ".gguf", ".tflite", ".ckpt", ".keras",
		".gpg", ".der", ".blend", ".fbx", ".glb", ".mo", ".swf":
		return true
	}
	return false
}

// LineAt returns the offset of the n-th line after the first.
func LineAt(src []byte, n int) (from int, ok bool) {
	for ; n > 0; n-- {
		i := bytes.IndexByte(src[from:], '\n')
		if i < 0 {
			return 0, false
		}
		from += i + 1
	}
	return from, from < len(src)
}

// CountLines returns the number of lines of a text, at least 1.
func CountLines(src []byte) int {
	n := bytes.Count(src, []byte{'\n'})
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return max(n, 1)
}
