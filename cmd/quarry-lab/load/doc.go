// Package load measures servers: how fast they answer, how soon they find what has been
// written, what they take, and whether they still say the right thing meanwhile. Each command
// of Commands is one experiment; its help says what it does and when it fails.
package load
