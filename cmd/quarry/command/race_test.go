//go:build race

package command

// raced tells that the race detector slows the tests down.
const raced = true
