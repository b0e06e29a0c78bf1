package index

import (
	"crypto/ed25519"
	"slices"
	"time"

	"github.com/quarry-search/quarry/index/internal/snapshot"
)

// maxRebuilt is how many files an Origin names.
const maxRebuilt = 100

// An Origin says which snapshot an index began with, who made that, and what of it was
// proved. What it says of its maker is what the snapshot says of itself: SignedBy proves
// it, where Trusted is true.
type Origin struct {
	Program string     `json:"program"`           // that made it; "": it does not say
	By      string     `json:"made_by"`           // the job or machine that made it; "": it does not say
	Root    string     `json:"root"`              // of which it was made; "": it is portable
	Commit  string     `json:"commit"`            // of the work tree that it was made of; "": none
	Made    *time.Time `json:"made_at,omitempty"` // nil: it does not say

	ID       string `json:"id"`        // SHA-256 of all that it holds, in hexadecimal
	Verified bool   `json:"verified"`  // all that was read of it is what its hashes say
	SignedBy string `json:"signed_by"` // fingerprint of the key; "": unsigned
	Trusted  bool   `json:"trusted"`   // by a key that it had to be signed by
	Delta    bool   `json:"delta"`     // what had changed since was in a delta, which nobody signs

	Texts    int      `json:"texts"`          // of files
	Proved   int      `json:"texts_verified"` // that are what the hashes of their files say
	Rebuilt  []string `json:"rebuilt"`        // files whose texts were not, which are indexed again; the first 100 by path
	NRebuilt int      `json:"rebuilt_total"`  // how many these are
}

// Fingerprint names a key as Origin.SignedBy does, and ssh-keygen: by its SHA-256.
func Fingerprint(key ed25519.PublicKey) string { return snapshot.Fingerprint(key) }

// Origin returns what the index began with, nil where it was built from nothing.
func (x *Index) Origin() *Origin {
	o := x.state.origin.Load()
	if o == nil {
		return nil
	}
	c := *o
	c.Rebuilt = slices.Clone(o.Rebuilt)
	return &c
}

// origin is that of what was read.
func (r *restored) origin() *Origin {
	a := &r.about
	o := &Origin{
		Program: a.Program, By: a.By, Root: a.Root, Commit: a.Commit,
		ID: r.id.String(), Verified: true, Trusted: r.trusted, Delta: r.delta,
		Texts: r.proved + len(r.rebuilt), Proved: r.proved, NRebuilt: len(r.rebuilt),
		Rebuilt: append([]string{}, r.rebuilt[:min(len(r.rebuilt), maxRebuilt)]...),
	}
	if r.signer != nil {
		o.SignedBy = snapshot.Fingerprint(r.signer)
	}
	if a.Made != 0 {
		at := time.Unix(a.Made, 0).UTC()
		o.Made = &at
	}
	return o
}
