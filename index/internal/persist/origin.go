package persist

import (
	"crypto/ed25519"
	"path"
	"slices"
	"time"

	"github.com/quarry-search/quarry/index/answer"
	"github.com/quarry-search/quarry/index/internal/snapshot"
	"github.com/quarry-search/quarry/index/internal/store"
)

// maxRebuilt is how many files an Origin names.
const maxRebuilt = 100

// Fingerprint names a key as Origin.SignedBy does, and ssh-keygen: by its SHA-256.
func Fingerprint(key ed25519.PublicKey) string { return snapshot.Fingerprint(key) }

// origin is that of what was read.
func (r *Restored) origin() *answer.Origin {
	a := &r.about
	o := &answer.Origin{
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

// linksOf returns where the links lead that give a folder of Go files of another one: whoever has
// a snapshot alone cannot look.
func linksOf(x *store.View) map[string][]string {
	all, seen := map[string][]string{}, map[string]bool{}
	for name, r := range x.Table.Files {
		if dir := path.Dir(name); r.Lang == "go" && !seen[dir] {
			seen[dir] = true
			if targets := x.Tree.Links(dir, ".go"); len(targets) > 0 {
				slices.Sort(targets)
				all[dir] = targets
			}
		}
	}
	return all
}
