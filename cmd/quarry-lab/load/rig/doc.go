// Package rig has what experiments with servers share: it starts servers on copies of folders,
// makes queries of source code, asks, reads what the system says of a process, and reports
// times.
package rig
