// Package scale makes large trees of source code out of small ones, and measures how what a
// server takes grows with the number of files.
package scale
