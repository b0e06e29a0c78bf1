// Quarry-load measures a running server: how fast it answers, and how soon it
// finds what has just been written.
//
//	quarry-load --url http://localhost:3456 --from-root DIR -n 2000 -c 5
//	quarry-load --url http://localhost:3456 --queries FILE --json
//	quarry-load edits --url http://localhost:3456 --dir DIR -n 50
//	quarry-load restart --program bin/quarry --dir DIR -n 500
//	quarry-load soak --program bin/quarry --dir DIR,DIR,DIR --memory 600MiB --for 10m
//	quarry-load kill --program bin/quarry --dir DIR -n 200
//	quarry-load worktrees --program bin/quarry --dir DIR -n 10
//	quarry-load grep --program bin/quarry --rg rg --dir DIR -n 15
//	quarry-load agents --program bin/quarry --dir DIR --for 10m
//	quarry-load manners --program bin/quarry --dir DIR -n 3 --for 10s
//	quarry-load mixed --program bin/quarry --dir DIR --for 30m
//	quarry-load hostile --program bin/quarry --dir DIR -n 2000 --memory 600MiB
//	quarry-load grow --from DIR,DIR -n 100000 --out DIR
//	quarry-load scale --program bin/quarry --from DIR,DIR --sizes 1000,10000 --csv FILE
//	quarry-load plot --csv FILE --out DIR
//
// The first form sends n different queries over c connections that are kept
// open; they come from a file, one a line, or are made from the identifiers and
// comments below a folder. The second form, edits, makes, changes, renames and
// deletes n files of its own below a folder of the served root, one after the
// other, and measures the time until /search sees each change. It asks every
// two milliseconds, so its times are that much too long. Times are in
// milliseconds, from the client's side.
//
// The third form, restart, serves a copy of a folder, ends the server, appends an empty
// line to n of the files, and measures how soon the next server answers, and how soon
// it has caught up, in seconds from its start.
//
// The fourth form, soak, serves copies of several folders from one server with a memory
// budget, asks all kinds of things of all of them while it changes two files a second,
// and looks at the memory that the server takes. Answers of 503 with Retry-After are no
// failures.
//
// The fifth form, worktrees, serves n copies of a folder, one after the other and all
// but the first with 1 % of the files changed, as worktrees of a repository are. It
// measures what their indexes take on the disk, against that of the first one alone,
// and how soon one more is ready, against the cold start of the first.
//
// The sixth form, kill, serves a copy of a folder, kills the server n times with no
// warning while it builds, updates or saves, or the processes that parse for it, starts it
// again, has it prove its index with /verify, and looks for files that were left over.
//
// The seventh form, grep, serves a folder as it is and runs quarry te grep against
// ripgrep on ten patterns, or those of a file with one a line, after its flags, which
// must be flags of both. First it compares the lines that both find, those of quarry te
// -i grep with those of a ripgrep that looks at the same files, and says why which lines
// are found by one only. Then it runs ripgrep, quarry te grep and quarry te -i grep by
// turns, n times each, and reads their outputs through a pipe. Times are those of whole
// processes.
//
// The eighth form, agents, serves a copy of a folder to five agents with five connections
// each, which all ask at once: two over HTTP, two over a Unix socket and one over MCP,
// while it changes two files a second. Afterwards the server must hold no more goroutines
// and descriptors than before. A program built with the race detector ends with an exit
// code when that found something, which is an error here.
//
// The ninth form, manners, serves a copy of a folder and compares how fast it answers at
// rest with how fast while it indexes all files again and makes the call graph of them, for
// one client and for five. The two take turns, n times. DIR should hold 256 files of source
// or more: with fewer the call graph is moved, not made.
//
// The tenth form, mixed, serves a copy of a folder to clients that send requests of all
// kinds at a fixed rate, whatever the answers take: what waits for an answer before it
// waits on the clock. Meanwhile files of its own are changed in all ways that files are,
// everything is indexed again half way, and clients that read slowly, hang up or say
// nothing come and go. It knows what every answer may say and prints those that say
// anything else; see the package model. With --hostile, files that parsers do not survive
// are saved all the time, and what the processes that parse take counts as memory. It ends with 1 where an answer was wrong, a 5xx
// came, the 99th percentile is 50 ms or more, or the server holds more memory,
// goroutines or descriptors than before.
//
// The eleventh form, hostile, serves a copy of a folder to which n/2 files have been added
// that parsers do not survive (package hostile), saves as many more, and searches all the
// time. It ends with 1 where a search fails, or the 99th percentile is 50 ms or more, a
// file is neither indexed nor listed with a reason, a healthy file is not parsed that was
// before, or /verify does not prove the index.
//
// The twelfth form, grow, writes a tree of n files made of copies of some folders. Each
// copy has a vocabulary of its own: a share of what it defines is renamed, everywhere in
// it, such that identifiers grow with the number of copies to the power of --heaps. The
// same folders and flags give the same tree.
//
// The thirteenth form, scale, grows a tree of each of some sizes below --dir, serves it, and
// measures how long the index takes to build and in how much memory, how soon the next
// server answers, and how long questions of each kind take, one after the other. It adds a
// line to a CSV file for each size. The last form, plot, draws pictures of that file, and
// prints it as a table and the laws by which its columns grow.
//
// Exit codes: 0 done, 1 an error or a failed request, 2 wrong flags.
package main
