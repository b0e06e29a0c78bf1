// Package index keeps the searchable picture of one folder: its chunks, their
// words, symbols and vectors.
//
// Everything flows one way, and the same code serves the first build, the
// watcher and /invalidate:
//
//	source.Walk -> []File -> syntax.Parse -> chunk.Split -> commit -> embed -> commit
//	     ^                       (workers, bounded queues)    |    (batches)     |
//	     |                                                 lexical            vector
//	watcher -> []path -> Update                            symbols              |
//	                                                          +---> rank <------+
//	                                                                 |
//	                                                              Search -> api, cmd
//
// Words and symbols of a file are committed as soon as it is parsed; vectors
// follow behind, and where the model has better ones (embed.Refiner), Run replaces
// them while nothing else is to be done. One goroutine at a time commits, a batch of files under one
// short lock, so that a search never sees a file's old and new chunks together.
//
// Search answers in five ways (Mode): ranked by words, symbols and vectors
// together, by words and symbols, or by vectors; or exactly, by symbol names and by
// regular expressions, complete within stated limits. Related finds what is like a
// place. The ranked ways can say what a result's place is made of (Query.Explain).
//
// Structure, Skeleton and Extract read code by its symbols. Calls, Impact, Context
// and Trace read the call graph; they say how sure each edge is, and whether the
// answer is complete.
//
// What it promises: after Build or Update returns, the index equals one that is
// built afresh from the same files (the tests compare them chunk for chunk), but for
// vectors that are still to be replaced, of which State.Refined says how many there are;
// every admitted file is either indexed or listed in Status().Coverage with a
// reason; nothing is written inside the root; answers come from the text that
// was indexed, even when the file on disk has changed since, and say so. What
// it does not: symbols are found by syntax, not by type.
//
// Three files keep it: a snapshot (Save) has all of it, a delta (SaveDelta) what
// differs from a snapshot, and packs (Options.CacheDir) what large changes took out.
// Each is an index's own until it is complete, never changes then, and may be shared.
package index
