//go:build race

package graph_test

// raced tells that the race detector slows the tests down.
const raced = true
