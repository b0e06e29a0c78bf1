package peers

import "path/filepath"

// ctagsPeer lists definitions.
func ctagsPeer() peer {
	tags := func(p place) string { return filepath.Join(p.data, "tags") }
	index := func(p place) step {
		return step{args: []string{"ctags-universal", "-R", "-f", tags(p), "--fields=+n", p.root}}
	}
	return peer{
		name: "universal-ctags", from: "universal-ctags (Debian)", programs: []string{"ctags-universal", "readtags"}, version: []string{"--version"},
		index: index, update: index,
		define:    func(p place, name string) step { return step{args: []string{"readtags", "-t", tags(p), "-e", name}} },
		structure: func(p place) step { return step{args: []string{"ctags-universal", "-R", "-x", p.root}} },
	}
}
