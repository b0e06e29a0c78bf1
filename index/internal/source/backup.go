package source

import "strings"

// backupEnds are what editors, tools and people put at the end of the name of a copy, and
// backupStarts what they put before it. A number may stand behind an end.
var (
	backupEnds = []string{
		"~", ".bak", ".bk", ".bkp", ".backup", ".old", ".orig", ".original", ".save", ".saved", ".swp", ".swo", ".swn", ".tmp", ".temp", ".copy", ".rej",
		".prev", ".previous", ".disabled", ".off", ".rpmsave", ".rpmnew", ".dpkg-old", ".dpkg-dist", ".mine", ".local",
		"-bak", "_bak", "-backup", "_backup", "-old", "_old", "-orig", "_orig", "-copy", "_copy", " - copy", " (copy)", " copy", " backup", " old",
	}
	backupStarts = []string{"copy of ", "kopie von ", "backup of ", "backup-", "backup_", "bak-", "bak_", "old-", "old_", "copy-", "copy_", "._"}
)

// originals returns the names, in small letters, of what a file may be a copy of: of
// "#.env#", ".env~", ".env copy 2" and "Copy of .env" that is ".env", of "server (1).key"
// "server.key".
func originals(base string) (names []string) {
	name := base
	for range 4 { // copies of copies
		short := original(name)
		if short == name {
			break
		}
		name = short
		names = append(names, name)
		if strings.HasPrefix(name, ".") { // vim and emacs put a dot before a name that has none
			names = append(names, name[1:])
		}
	}
	if stem, ext := cutExt(base); ext != "" {
		if short := original(stem); short != stem {
			names = append(names, short+ext)
		}
	}
	return names
}

// original takes away what one copying has added to a name.
func original(name string) string {
	if len(name) > 2 && name[0] == '#' && name[len(name)-1] == '#' { // emacs, of a file that is not saved
		return name[1 : len(name)-1]
	}
	if strings.HasPrefix(name, ".#") && len(name) > 2 { // its lock
		return name[2:]
	}
	for _, start := range backupStarts {
		if rest, ok := strings.CutPrefix(name, start); ok && rest != "" {
			return rest
		}
	}
	short := name
	if last := name[len(name)-1]; '0' <= last && last <= '9' || last == '~' || last == ')' {
		if short = withoutNumber(name); short == "" { // it is nothing else, as ".1"
			return name
		}
	}
	for _, end := range backupEnds {
		if rest, ok := strings.CutSuffix(short, end); ok && rest != "" {
			return rest
		}
	}
	return short
}

// withoutNumber takes away the number of a copy: ".~1~", " (2)", " 2", ".1", ".20240131",
// "-2024-01-31". What is behind a name such as ".bak2" is taken away, too.
func withoutNumber(name string) string {
	bare := strings.TrimSuffix(strings.TrimSuffix(name, "~"), ")")
	short := strings.TrimRight(bare, "0123456789-_")
	switch {
	case short == bare || short == "":
		return name
	case strings.HasSuffix(short, " (") || strings.HasSuffix(short, ".~"):
		return short[:len(short)-2]
	case strings.HasSuffix(short, "("):
		return short[:len(short)-1]
	case strings.HasSuffix(short, " ") || strings.HasSuffix(short, "."):
		return short[:len(short)-1]
	}
	return short
}
