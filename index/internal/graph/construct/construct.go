// Package construct reads the cases of the table of constructs in docs/graph.md: a few lines
// in which something calls something by one construct of a language. Tests alone use it.
package construct

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/quarry-search/quarry/index/internal/graph/edge"
)

// A Case is files in which something calls something. Its caller is a function named
// caller, its target one named target, unless the file want says otherwise: "from", "to"
// and "or" with a name, a path, a colon and a name, or a name, "@" and a line. An edge to
// what follows "or" is right, too. A target that is "absent" is one that the graph does not
// declare.
type Case struct {
	Name                 string // the folder of its files
	Files                []txtar.File
	From, To, Or, Absent []string
}

// Row is the row of the table that a case belongs to: its name without what is in
// parentheses at the end, by which several cases of a row are told apart.
func (c *Case) Row() string {
	row, _, _ := strings.Cut(c.Name, " (")
	return row
}

// Read returns the cases in an archive, in their order.
func Read(archive string) ([]*Case, error) {
	text, err := os.ReadFile(archive)
	if err != nil {
		return nil, err
	}
	var all []*Case
	for _, f := range txtar.Parse(text).Files {
		name, file, ok := strings.Cut(f.Name, "/")
		if !ok {
			return nil, fmt.Errorf("%s: %s is in no construct", archive, f.Name)
		}
		i := slices.IndexFunc(all, func(c *Case) bool { return c.Name == name })
		if i < 0 {
			i = len(all)
			all = append(all, &Case{Name: name})
		}
		c := all[i]
		if file != "want" {
			c.Files = append(c.Files, txtar.File{Name: file, Data: f.Data})
			continue
		}
		for line := range bytes.Lines(f.Data) {
			word, label, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
			switch word {
			case "from":
				c.From = append(c.From, label)
			case "to":
				c.To = append(c.To, label)
			case "or":
				c.Or = append(c.Or, label)
			case "absent":
				c.Absent = append(c.Absent, label)
			default:
				return nil, fmt.Errorf("%s: %s: what is %q?", archive, f.Name, line)
			}
		}
	}
	return all, nil
}

// Language is that of an archive, by its name.
func Language(archive string) string {
	return strings.TrimSuffix(filepath.Base(archive), ".txt")
}

// Calls reports whether a node is the caller.
func (c *Case) Calls(n edge.Node) bool {
	if len(c.From) > 0 {
		return Among(n, c.From)
	}
	return strings.EqualFold(Last(n.Name), "caller")
}

// Called reports whether a node is a target.
func (c *Case) Called(n edge.Node) bool {
	if len(c.To)+len(c.Absent) > 0 {
		return Among(n, c.To) || Among(n, c.Absent)
	}
	return strings.EqualFold(Last(n.Name), "target")
}

// Last is the last part of a node's name.
func Last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// Among reports whether a node is one of those that labels name.
func Among(n edge.Node, labels []string) bool {
	return slices.Contains(labels, n.Name) || slices.Contains(labels, n.Path+":"+n.Name) ||
		slices.Contains(labels, fmt.Sprintf("%s@%d", n.Name, n.Pos.Line()))
}
