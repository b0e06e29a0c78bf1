// Package train makes the built-in model from clones of public repositories.
//
//	clones -> Extract -> pairs -> vocabulary -> bags -> fit -> quantize -> model.onnx
//	                       |                                                vocab.txt
//	                     cache                                              MODEL.md
//
// A pair is a question and the chunk of a file that answers it: a doc comment
// and the code under it, a commit's subject and what it changed, the doc of a
// type and the names in its file, the words of a name and the code that has it.
// The pairs are found with the syntax trees of the index. The model is a table
// of word vectors (see embed/model), trained so that a question is nearer to its
// own chunk than to the others of its batch: symmetric InfoNCE, with half a
// batch taken from one repository so that the others are hard to tell apart.
//
// What it promises: the same revisions and settings give the same bytes,
// whatever the number of cores, on one architecture and with one version of Go
// and git. Every sum is in a fixed order; goroutines share work only where they
// write apart from each other. What it does not: a parser that is stopped after
// two seconds on a broken file might get further on a faster machine; files are
// kept so small that this has not been seen.
//
// On two cores of a Xeon of 2023, the 1,020,000 pairs of the pinned list take
// 90 s an epoch, ten seconds before it for the vocabulary and the bags, and
// 0.9 GB of memory; extracting them takes about twelve minutes, once.
package train
