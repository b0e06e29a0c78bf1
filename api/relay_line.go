package api

import (
	"regexp"
	"strings"

	"github.com/quarry-search/quarry/api/command"
)

// servicePattern is a line by which an agent asks a service, as the relay recognises it,
// except that nothing needs to follow the command.
var servicePattern = regexp.MustCompile(`^->relay:(code|tldr|quarry)(?:\s+(\S+)(?:\s+(.*))?)?$`)

// A serviceLine is such a line, taken apart.
type serviceLine struct {
	line    string // without white space around it
	service string
	action  string // "": none was given
	params  map[string]any
}

// parseLine takes a service line apart, whose action may be one of the commands, and
// reports whether it is one.
func parseLine(line string, commands map[string]command.Command) (serviceLine, bool) {
	line = strings.TrimSpace(line)
	m := servicePattern.FindStringSubmatch(line)
	if m == nil {
		return serviceLine{}, false
	}
	return serviceLine{line: line, service: m[1], action: m[2], params: parseWords(m[3], commands[m[2]].Free)}, true
}

// positionals are the parameters that the words of a line are, in their order.
var positionals = [...]string{"query", "target", "path"}

// parseWords makes parameters of the words after a command: --name value, or --name
// alone for true, and else the positionals. Values stay text but for true and false.
// With free, words without quotes are one: who searches for authentication middleware
// means both.
func parseWords(text string, free bool) map[string]any {
	params := map[string]any{}
	words := tokenize(text)
	var plain []token
	for i := 0; i < len(words); i++ {
		name, isFlag := strings.CutPrefix(words[i].text, "--")
		if !isFlag || words[i].quoted || name == "" {
			plain = append(plain, words[i])
			continue
		}
		name, value, set := strings.Cut(name, "=")
		next := i + 1
		if !set && next < len(words) && (words[next].quoted || !strings.HasPrefix(words[next].text, "--")) {
			value, set = words[next].text, true
			i = next
		}
		params[strings.ReplaceAll(name, "-", "_")] = flagValue(value, set)
	}
	if free && len(plain) > 1 && !plain[0].quoted {
		all := make([]string, len(plain))
		for i, w := range plain {
			all[i] = w.text
		}
		plain = []token{{text: strings.Join(all, " ")}}
	}
	for i, w := range plain {
		if i == len(positionals) {
			break
		}
		params[positionals[i]] = w.text
	}
	return params
}

func flagValue(value string, set bool) any {
	switch {
	case !set, value == "true":
		return true
	case value == "false":
		return false
	}
	return value
}

// A token is a word of a line.
type token struct {
	text   string
	quoted bool // it began with a quote, and so is no flag
}

// tokenize takes a line apart at its white space. A word that begins with a quote, " or ',
// ends at the same quote, or with the line where there is none; within it a
// backslash stands before that quote or before a backslash. Outside of quotes it stands
// before white space, a quote or a backslash. Every other backslash is one, so that a
// regular expression needs no second one.
func tokenize(text string) []token {
	var words []token
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return words
		}
		end, special := " \t\r\n", ` "'\`
		quoted := text[0] == '"' || text[0] == '\''
		if quoted {
			end = text[:1]
			special = end + `\`
			text = text[1:]
		}
		var word strings.Builder
		i := 0
		for ; i < len(text) && !strings.ContainsRune(end, rune(text[i])); i++ {
			if text[i] == '\\' && i+1 < len(text) && strings.ContainsRune(special, rune(text[i+1])) {
				i++
			}
			word.WriteByte(text[i])
		}
		if text = text[i:]; quoted && text != "" {
			text = text[1:]
		}
		words = append(words, token{word.String(), quoted})
	}
}
