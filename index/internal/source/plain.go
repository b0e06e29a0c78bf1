package source

import "fmt"

// maxPlain bounds what Text and ReadPlain read of a file, in bytes.
const maxPlain = 64 << 20

// Text returns the text of a file whether or not the index has room for it: generated,
// minified or large ones, too, up to 64 MiB, and such as are not UTF-8
// throughout. What is secret, a link, binary or in two bytes a letter is a Skip as it is of
// Read. The size is that of the file in bytes, also of one that is refused for what it
// holds; -1: not known. The error is as that of Read.
func (t *Tree) Text(name string) (text []byte, size int64, skip *Skip, err error) {
	if !validPath(name) {
		return nil, -1, nil, fmt.Errorf("read %q: %w", name, ErrOutside)
	}
	if skip := t.refused(name); skip != nil {
		return nil, -1, skip, nil
	}
	text, size, skip, err = t.readRegular(name, maxPlain)
	if skip != nil || err != nil {
		return nil, size, skip, err
	}
	if skip := binaryText(name, text); skip != nil {
		return nil, size, skip, nil
	}
	return t.masked(name, text), size, nil, nil
}

// ReadPlain is Text for people who name a file: it refuses what is not UTF-8 throughout,
// too.
func (t *Tree) ReadPlain(name string) (text []byte, size int64, skip *Skip, err error) {
	text, size, skip, err = t.Text(name)
	if skip != nil || err != nil {
		return nil, size, skip, err
	}
	if skip := encoding(name, text); skip != nil {
		return nil, size, skip, nil
	}
	return text, size, nil, nil
}
