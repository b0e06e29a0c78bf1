// Package parsing runs the grammars' parsers in separate processes.
//
// Grammars are C that somebody else wrote. A text can make one abort, overflow its stack,
// leak, or run without end, and nothing in the same process can stop that. So a server
// keeps a pool of workers: the same program, started with a hidden argument, that is given
// texts over a pipe and gives back their syntax trees.
//
//	Parser -> Pool -> [language, text] -> Serve -> grammar
//	  ^                                              |
//	  +------------- nodes, checked <----------------+
//
// What it promises: a text that ends a worker, or that takes longer or more memory than it
// may, costs that text its tree and nothing else. The worker is replaced, and the text is
// not parsed again as long as the pool remembers it. A worker that has parsed other texts
// before is not trusted: a fault counts only if a new worker has it, too. No worker
// outlives the process that started it, or Close. On Linux a worker can open no file, no
// connection and no process (package sandbox).
//
// What it does not promise: a text that takes over a worker without ending it can give
// wrong trees for the texts that this worker parses next. Trees are checked for their
// shape, so a wrong one is an odd tree and no memory error.
//
// # Protocol
//
// Both ends are the same program, so numbers have the machine's byte order. A worker begins
// with the word "quarry01". A request is the length of the language's name (uint32), the
// length of the text (uint32), the name and the text. An answer is a status (uint32: 0
// whole, 1 with syntax errors, 2 late, 3 refused), the number of nodes (uint32), eight
// bytes of nothing, and the nodes as syntax.Nodes gives them. Each is one write: with
// several, the other end would wake up for a part. A worker ends when its input does.
package parsing
