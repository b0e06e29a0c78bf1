package protocol

import "strings"

// exampleGroup is what groups of examples inherit from, as they are lowered.
const exampleGroup = "RSpec.ExampleGroup."

// OfExampleGroup reports whether a path outside of the index is that of a method of RSpec's
// groups of examples. It may as well be one of a module of the project: which modules are
// mixed into groups is said where RSpec is configured, config.include, and not in the groups.
func OfExampleGroup(path string) bool {
	method, ok := strings.CutPrefix(path, exampleGroup)
	return ok && !strings.Contains(method, ".")
}
