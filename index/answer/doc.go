// Package answer is the vocabulary of answers: places and definitions, pages and what cut
// them, the state of an index and how an answer was checked against the disk, what a reader
// has been sent, and the errors that clients tell apart. It knows no index.
package answer
