package te

import (
	"path"
	"regexp"
	"strings"
)

// extensionType returns what the extension of a name says, "" for nothing.
func extensionType(ext string) string {
	switch ext {
	case ".py":
		return "code/python"
	case ".js":
		return "code/javascript"
	case ".ts":
		return "code/typescript"
	case ".json":
		return "json"
	case ".yaml", ".yml":
		return "yaml"
	case ".toml":
		return "toml"
	case ".md":
		return "markdown"
	case ".log":
		return "log"
	case ".csv":
		return "tabular"
	case ".sql":
		return "code/sql"
	}
	return ""
}

// logLine matches the beginning of a log's line: a date, a level, or a time as syslog
// writes it.
var logLine = regexp.MustCompile(`^\d{4}[-/]\d{2}[-/]\d{2}|^\[?(ERROR|WARN|INFO|DEBUG)\]?|^\w{3}\s+\d{1,2}\s+\d{2}:\d{2}`)

const (
	logProbe = 5 // lines at the beginning
	logLines = 2 // of them that must look like a log's
)

// Sniff guesses what a file holds from its name and from its text, which may be "":
// not known.
func Sniff(name, text string) string {
	if t := extensionType(strings.ToLower(path.Ext(name))); t != "" {
		return t
	}
	logs, n := 0, 0
	for line := range strings.Lines(text) {
		if n++; n > logProbe {
			break
		}
		if logLine.MatchString(line) {
			logs++
		}
	}
	if logs >= logLines {
		return "log"
	}
	switch s := strings.TrimSpace(text); {
	case s == "":
	case strings.ContainsRune("{[", rune(s[0])) && strings.ContainsRune("}]", rune(s[len(s)-1])):
		return "json"
	}
	return "text"
}

// ContentType says what a file holds: what the index calls its language, and for a
// file that it does not know, what Sniff says.
func ContentType(lang, name, text string) string {
	switch lang {
	case "", "text":
		return Sniff(name, text)
	case "json", "yaml", "toml", "markdown", "html", "css", "xml", "ini":
		return lang
	case "csv":
		return "tabular"
	}
	return "code/" + lang
}
