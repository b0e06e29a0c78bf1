// Package graph holds who calls, reads, makes and inherits what.
package graph
